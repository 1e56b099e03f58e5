import { afterEach, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { findSqliteCorruption, listAllUsers } from "../support/consistency/list-checks.ts";
import type { User } from "../support/consistency/operation.ts";
import { type Roster, startRoster, stopAll, temporaryFolder } from "../support/process/roster.ts";

setDefaultTimeout(120_000);
afterEach(stopAll);

const CALLERS = 8;
const WRITES_PER_CALLER = 20;

/** Starts two services at the same time on a file that does not exist yet. */
async function startTwo(): Promise<{ database: string; one: Roster; two: Roster }> {
  const database = join(temporaryFolder(), "roster.db");
  const [one, two] = await Promise.all([startRoster(database), startRoster(database)]);
  return { database, one, two };
}

async function create(roster: Roster, body: object): Promise<User> {
  const response = await roster.call("/api/users", { method: "POST", json: body });
  expect(response.status).toBe(201);
  return await response.json();
}

test("each of two services on one file sees the other's writes at once", async () => {
  const { one, two } = await startTwo();
  for (let i = 0; i < 20; i++) {
    const [writer, reader] = i % 2 ? [one, two] : [two, one];
    const user = await create(writer, { name: `Zoë ${i}`, turn: i });
    const path = `/api/users/${user.id}`;
    const read: User = await (await reader.call(path)).json();
    expect(read).toEqual(user);
    expect((await listAllUsers(reader, `turn=${i}`)).users).toEqual([user]);
    const changed: User = await (await reader.call(path, { method: "PATCH", json: { turn: -1 } })).json();
    expect((await listAllUsers(writer, `q=zoe ${i}`)).users).toContainEqual(changed);
    expect((await listAllUsers(writer)).total).toBe(i + 1);
  }
});

test("when creates with the same email race through both, exactly one gets 201", async () => {
  const { database, one, two } = await startTwo();
  for (let round = 0; round < 10; round++) {
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        (i % 2 ? one : two).call("/api/users", {
          method: "POST",
          json: { name: `R${i}`, email: `race${round}@example.com` },
        }),
      ),
    );
    const statuses = responses.map(({ status }) => status).sort();
    expect(statuses).toEqual([201, ...Array.from({ length: 19 }, () => 409)]);
  }
  expect(findSqliteCorruption(database, 10)).toEqual([]);
});

test("a create repeated on the other service with the same Idempotency-Key is replayed", async () => {
  const { one, two } = await startTwo();
  const headers = { "idempotency-key": "once" };
  const responses = await Promise.all(
    [one, two, one, two].map((roster) =>
      roster.call("/api/users", { method: "POST", json: { name: "Once" }, headers }),
    ),
  );
  const created = responses.filter(({ status }) => status === 201);
  expect(created.filter(({ headers }) => headers.get("idempotency-replayed") === null).length).toBe(1);
  for (const { status } of responses) expect([201, 409]).toContain(status);
  expect((await listAllUsers(two)).users.length).toBe(1);
});

test("hundreds of writes through both cause no error; ids are unique and counts are exact", async () => {
  const { database, one, two } = await startTwo();
  const ids: number[] = [];
  const removed = new Set<number>();
  const unexpected: string[] = [];
  const caller = async (roster: Roster, other: Roster, name: string) => {
    const expectStatus = async (pending: Promise<Response>, status: number) => {
      const response = await pending;
      const text = await response.text();
      if (response.status !== status) unexpected.push(`${response.status} ${text}`);
      return text;
    };
    for (let i = 0; i < WRITES_PER_CALLER; i++) {
      const body = { name: `${name} ${i}`, email: `${name}.${i}@example.com` };
      const user: User = JSON.parse(
        await expectStatus(roster.call("/api/users", { method: "POST", json: body }), 201),
      );
      ids.push(user.id);
      const path = `/api/users/${user.id}`;
      await expectStatus(other.call(path, { method: "PATCH", json: { team: "red" } }), 200);
      await expectStatus(roster.call(path), 200);
      if (i % 3 !== 0) continue;
      await expectStatus(other.call(path, { method: "DELETE" }), 204);
      removed.add(user.id);
    }
  };
  await Promise.all(
    Array.from({ length: CALLERS }, (_, i) =>
      i % 2 ? caller(one, two, `a${i}`) : caller(two, one, `b${i}`),
    ),
  );
  expect(unexpected).toEqual([]);
  expect(ids).toHaveLength(CALLERS * WRITES_PER_CALLER);
  expect(new Set(ids).size).toBe(ids.length);
  const left = ids.filter((id) => !removed.has(id)).sort((a, b) => a - b);
  for (const roster of [one, two]) {
    const { users, total } = await listAllUsers(roster);
    expect(users.map(({ id }) => id)).toEqual(left);
    expect(total).toBe(left.length);
    expect((await listAllUsers(roster, "team=red")).total).toBe(left.length);
    expect(roster.stdout.length).toBe(1);
  }
  expect(findSqliteCorruption(database, left.length)).toEqual([]);
});

test("when one of two services stops, the other continues", async () => {
  const { database, one, two } = await startTwo();
  await create(one, { name: "Before" });
  one.kill("SIGTERM");
  expect(await one.exited).toEqual({ code: 0, signal: null });
  await create(two, { name: "After" });
  two.kill("SIGKILL");
  await two.exited;
  const { users } = await listAllUsers(await startRoster(database));
  expect(users.map(({ name }) => name)).toEqual(["Before", "After"]);
});
