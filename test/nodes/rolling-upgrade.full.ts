import { afterEach, expect, setDefaultTimeout } from "bun:test";
import { SQL } from "bun";
import { eventBytesError } from "../support/consistency/event-bytes.ts";
import { findListInconsistencies, listAllUsers } from "../support/consistency/list-checks.ts";
import { findPostgresCorruption } from "../support/consistency/postgres-corruption.ts";
import { emptyDatabase, pooler, startPostgresBeforeTests } from "../support/postgres/fresh-database.ts";
import { type Roster, startRoster, stopAll } from "../support/process/roster.ts";
import { requirement } from "../support/requirements.ts";
import { until } from "../support/until.ts";
import { commandOf, findPreviousCommit } from "./support/previous-version.ts";

setDefaultTimeout(120_000);
startPostgresBeforeTests();
afterEach(stopAll);

const previous = findPreviousCommit();
const flags = [`--database-pooler=${pooler}`, "--database-wait=60000"];

async function send(roster: Roster, method: string, path: string, body: object, status: number) {
  const response = await roster.call(path, { method, json: body });
  expect(response.status).toBe(status);
  return await response.json();
}

/** Writes with one node and reads with the other. */
async function expectShared(writer: Roster, reader: Roster, name: string): Promise<void> {
  const user = await send(
    writer,
    "POST",
    "/api/users",
    { name, email: `${name}@example.com`, team: "red" },
    201,
  );
  const path = `/api/users/${user.id}`;
  expect(await (await reader.call(path)).json()).toEqual(user);
  const changed = await send(reader, "PATCH", path, { team: "blue" }, 200);
  expect((await listAllUsers(writer, `email=${name}@example.com`)).users).toEqual([changed]);
  await send(reader, "POST", "/api/users", { name, email: `${name}@EXAMPLE.com` }, 409);
  const lines = Array.from({ length: 5 }, (_, i) => JSON.stringify({ name: `${name} ${i}`, team: "green" }));
  const imported = await writer.call("/api/users/import", {
    method: "POST",
    body: lines.join("\n"),
    headers: { "content-type": "application/x-ndjson" },
  });
  expect((await imported.text()).match(/"status":201/g)).toHaveLength(5);
  const deleted = await send(writer, "POST", "/api/users", { name: "Deleted" }, 201);
  expect((await reader.call(`/api/users/${deleted.id}`, { method: "DELETE" })).status).toBe(204);
  expect((await writer.call(`/api/users/${deleted.id}`)).status).toBe(404);
  const events = await (await reader.call("/api/events?type=user.deleted")).json();
  expect(events.at(-1)).toMatchObject({ type: "user.deleted", subject: { id: deleted.id } });
}

/** The database keeps the emails that the old node writes as user names. */
async function expectUserNames(old: Roster, node: Roster, before: string): Promise<void> {
  const named = { name: "Named", userName: "from-old@example.com" };
  const { id } = await send(old, "POST", "/api/users", { name: "Old", email: "From-old@example.com" }, 201);
  await send(node, "POST", "/api/users", named, 409);
  await send(old, "PATCH", `/api/users/${id}`, { email: "changed@example.com" }, 200);
  await send(node, "POST", "/api/users", named, 201);
  await send(node, "POST", "/api/users", { name: "Named", userName: "changed@example.com" }, 409);
  expect((await old.call(`/api/users/${id}`, { method: "DELETE" })).status).toBe(204);
  await send(node, "POST", "/api/users", { name: "Named", userName: "changed@example.com" }, 201);

  await send(node, "POST", "/api/users", { name: "Named", userName: before }, 409);
  await send(old, "PATCH", "/api/users/1", { email: `changed-${before}` }, 200);
  await send(node, "POST", "/api/users", { name: "Named", userName: before }, 201);
}

requirement(previous !== undefined, "the history of the repository is not here").test(
  "a node of the version before the newest migration keeps serving while a node of this version migrates",
  async () => {
    const database = await emptyDatabase();
    const old = await startRoster(database.url, { flags, command: commandOf(previous ?? "") });
    await send(old, "POST", "/api/users", { name: "Before", email: "before@example.com" }, 201);
    await send(old, "POST", "/api/users", { name: "Purged" }, 201);
    let stopped = false;
    const writing = (async () => {
      let count = 0;
      while (!stopped) await send(old, "POST", "/api/users", { name: `During ${count++}` }, 201);
      return count;
    })();
    const node = await startRoster(database.url, { flags });
    stopped = true;
    expect(await writing).toBeGreaterThan(0);
    await expectShared(old, node, "old-to-new");
    await expectShared(node, old, "new-to-old");
    await expectUserNames(old, node, "before@example.com");
    const sql = new SQL(database.url, { max: 1 });
    // The new node counts the bytes of earlier events, and the database those of the events that the old node adds and erases.
    await until(
      async () => (await sql.unsafe("SELECT uncounted_to FROM roster.about").values())[0]?.[0] === null,
    );
    expect((await old.call("/api/users/2?purge=true", { method: "DELETE" })).status).toBe(204);
    expect(await eventBytesError("postgres", database.url)).toBe(0);
    old.kill("SIGTERM");
    expect((await old.exited).code).toBe(0);
    const { users, total } = await listAllUsers(node);
    expect(total).toBe(users.length);
    expect(await findListInconsistencies(node, users)).toEqual([]);
    expect(await findPostgresCorruption(database.url, users.length)).toEqual([]);
    await stopAll();
    await sql.close();
    await database.drop();
  },
);
