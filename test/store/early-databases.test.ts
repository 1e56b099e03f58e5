import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { SQL } from "bun";
import { findSqliteCorruption } from "../support/consistency/list-checks.ts";
import { findPostgresCorruption } from "../support/consistency/postgres-corruption.ts";
import { type Engine, onEachEngine } from "../support/engines.ts";
import { startServiceOn, type TestService } from "../support/service.ts";
import {
  type Contents,
  contentsOf,
  earlyStates,
  GROUPED,
  openEarlyDatabase,
  UNSETTLED,
} from "./support/early-database.ts";

/** The users as this version returns them: fields that have a meaning now got other names. */
function convertedUsers({ users }: Contents): unknown[] {
  return users.map(({ active, deletedAt, groups, ...user }) => ({
    ...user,
    ...(groups !== undefined && moved(user.version, { previousGroups: groups })),
    ...(active !== undefined && { earlierActive: active }),
    ...(deletedAt !== undefined && { earlierDeletedAt: deletedAt }),
  }));
}

/** What differs in a user after a start has moved values. */
function moved(version: unknown, fields: object): object {
  return { ...fields, version: Number(version) + 1, updatedAt: expect.any(String) };
}

/** The users that a start changes, by name: what differs in them. */
const settledUsers: Readonly<Record<string, object>> = {
  Second: { userName: undefined, previousUserName: "SAME" },
  "Like an email": { userName: undefined, previousUserName: "Mail@example.com" },
  Long: { userName: undefined, previousUserName: "x".repeat(257) },
  Number: { userName: undefined, previousUserName: 7 },
  Groups: {
    groups: undefined,
    scim: undefined,
    previousGroups: "b",
    previousGroups2: ["a"],
    previousScim: "text",
  },
  Nothing: { userName: undefined, groups: undefined, scim: undefined },
  "Like a later email": { userName: undefined, previousUserName: "later@example.com" },
};

async function read(service: TestService, path: string, headers = {}) {
  return (await service.call(path, { headers })).json();
}

async function idsOf(service: TestService, query: string): Promise<number[]> {
  return (await read(service, `/api/users?${query}`)).map(({ id }: { id: number }) => id);
}

async function expectReplays(
  service: TestService,
  { created, refusedBody, imported }: Contents,
): Promise<void> {
  const repeat = (key: string, path: string, type: string, body: string) =>
    service.call(path, { method: "POST", body, headers: { "idempotency-key": key, "content-type": type } });
  const once = await repeat("once", "/api/users", "application/json", created.body);
  expect([once.status, once.headers.get("idempotency-replayed")]).toEqual([201, "true"]);
  expect(await once.json()).toEqual(created.response);
  const refused = await repeat("refused", "/api/users", "application/json", refusedBody);
  expect([refused.status, refused.headers.get("idempotency-replayed")]).toEqual([409, "true"]);
  expect((await refused.json()).type).toBe("/problems/email-taken");
  const again = await repeat("import", "/api/users/import", "application/x-ndjson", imported.body);
  const lines = (await again.text()).trim().split("\n");
  expect(lines.map((line) => JSON.parse(line).id ?? null)).toEqual([...imported.ids]);
}

async function countSessions(engine: Engine, url: string): Promise<number> {
  if (engine === "sqlite") {
    const db = new Database(url, { readonly: true });
    const [row] = db.query("SELECT count(*) FROM sessions").values();
    db.close();
    return Number(row?.[0]);
  }
  await using sql = new SQL(url, { max: 1 });
  const [row] = await sql.unsafe("SELECT count(*) FROM roster.sessions").values();
  return Number(row?.[0]);
}

onEachEngine((engine) => {
  describe.each(earlyStates)("a database of %s", (state) => {
    test("comes over with its users, keys, sessions, outcomes and ids", async () => {
      const contents = await contentsOf(state, engine);
      const { key, users, keys, lastId } = contents;
      const database = await openEarlyDatabase(state, engine);
      const service = await startServiceOn(database.url, { auth: "off" });

      expect(await read(service, "/api/users?sort=id&limit=1000")).toEqual(convertedUsers(contents));
      const named = (name: string) => users.filter((user) => user.name === name).map(({ id }) => id);
      expect(await idsOf(service, "q=emile")).toEqual(named("Émile Zola"));
      expect(await idsOf(service, "email=ada@EXAMPLE.com")).toEqual(named("Ada Lovelace"));
      expect(await idsOf(service, "department=engines")).toEqual(named("Ada Lovelace"));
      expect(await idsOf(service, "name=Same name")).toEqual(named("Same name"));

      await expectReplays(service, contents);
      expect(await countSessions(engine, database.url)).toBe(1);
      const next = await service.call("/api/users", {
        method: "POST",
        json: { name: "Next", email: "next@example.com" },
      });
      expect((await next.json()).id).toBe(lastId + 1);
      const change = { email: "changed@example.com" };
      expect((await service.call("/api/users/2", { method: "PATCH", json: change })).status).toBe(200);
      await service.stop();

      const again = await startServiceOn(database.url);
      const found: Contents["keys"] = await read(again, "/api/keys", { authorization: `Bearer ${key}` });
      expect(found.map(({ usage: _, lastUsedAt: __, ...rest }) => rest)).toEqual(
        keys.map(({ usage: _, lastUsedAt: __, ...rest }) => rest),
      );
      await again.stop();
      expect(
        engine === "sqlite"
          ? findSqliteCorruption(database.url, users.length + 1)
          : await findPostgresCorruption(database.url, users.length + 1),
      ).toEqual([]);
      await database.drop();
    });
  });

  test("users have user names after a start, and what cannot be one is in another field", async () => {
    const { key, users } = await contentsOf(UNSETTLED, engine);
    const database = await openEarlyDatabase(UNSETTLED, engine);
    const expected = users.map((user) => {
      const changes = settledUsers[String(user.name)];
      return changes ? { ...user, ...moved(user.version, changes) } : user;
    });
    const service = await startServiceOn(database.url, { auth: "off" });
    expect(await read(service, "/api/users?sort=id&limit=1000")).toEqual(expected);
    const named = (name: string) => users.filter((user) => user.name === name).map(({ id }) => id);
    const create = async (fields: object) => {
      const response = await service.call("/api/users", { method: "POST", json: { name: "New", ...fields } });
      return [response.status, (await response.json()).errors?.[0]?.pointer];
    };
    // The email of a user that has not changed since, a kept userName, and names that are free.
    expect(await create({ userName: "MAIL@example.com" })).toEqual([409, "/userName"]);
    expect(await create({ email: "freed@example.com.example", userName: "keeper" })).toEqual([
      409,
      "/userName",
    ]);
    expect(await create({ userName: "later@example.com" })).toEqual([201, undefined]);
    await service.stop();

    const again = await startServiceOn(database.url);
    const history = await read(again, `/api/users/${named("Second")[0]}/events`, {
      authorization: `Bearer ${key}`,
    });
    expect(history.map(({ type }: { type: string }) => type)).toEqual(["user.created", "user.updated"]);
    await again.stop();
    await database.drop();
  });

  test("the history of a user has changes of members that are older than it", async () => {
    const { users } = await contentsOf(GROUPED, engine);
    const database = await openEarlyDatabase(GROUPED, engine);
    const service = await startServiceOn(database.url, { auth: "off" });
    const historyOf = async (id: number): Promise<string[]> =>
      (await read(service, `/api/users/${id}/events?type=group.*`)).map(
        ({ subject, changes }: { subject: { id: number }; changes: { members: object } }) =>
          `${subject.id} ${JSON.stringify(changes.members)}`,
      );
    expect(await historyOf(1)).toEqual([
      '1 {"added":[1,2],"removed":[]}',
      '2 {"added":[1],"removed":[]}',
      '2 {"added":[2],"removed":[1]}',
      '1 {"added":[],"removed":[1]}',
      '1 {"added":[1],"removed":[]}',
    ]);
    expect(await historyOf(2)).toHaveLength(2);
    expect(await historyOf(3)).toEqual([]);
    await service.stop();
    expect(
      engine === "sqlite"
        ? findSqliteCorruption(database.url, users.length)
        : await findPostgresCorruption(database.url, users.length),
    ).toEqual([]);
    await database.drop();
  });

  test("users are found by user names that are older than their table", async () => {
    const { users } = await contentsOf(UNSETTLED, engine);
    const database = await openEarlyDatabase(UNSETTLED, engine);
    const service = await startServiceOn(database.url, { auth: "off" });
    const named = (name: string) => users.filter((user) => user.name === name).map(({ id }) => id);
    expect(await idsOf(service, "userName=KEEPER")).toEqual(named("Keeps"));
    expect(await idsOf(service, "userName=same")).toEqual(named("First"));
    expect(await idsOf(service, "previousUserName=SAME")).toEqual(named("Second"));
    await service.stop();
    await database.drop();
  });
});
