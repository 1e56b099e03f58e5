import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { listAllUsers } from "../support/consistency/list-checks.ts";
import type { User } from "../support/consistency/operation.ts";
import { findPostgresCorruption } from "../support/consistency/postgres-corruption.ts";
import {
  type FreshDatabase,
  freshDatabase,
  startPostgresBeforeTests,
} from "../support/postgres/fresh-database.ts";
import { type Roster, startRoster, stopAll } from "../support/process/roster.ts";

setDefaultTimeout(120_000);
startPostgresBeforeTests();

let database: FreshDatabase;
let one: Roster;
let two: Roster;

beforeAll(async () => {
  database = await freshDatabase();
  [one, two] = await Promise.all([startRoster(database.url), startRoster(database.url)]);
}, 120_000);
afterAll(async () => {
  const { users, total } = await listAllUsers(one);
  expect(total).toBe(users.length);
  expect(await findPostgresCorruption(database.url, users.length)).toEqual([]);
  await stopAll();
  await database.drop();
}, 120_000);

/** Creates users alternately through both nodes. */
const inTurn = (index: number) => (index % 2 ? one : two);

async function create(roster: Roster, body: object): Promise<User> {
  const response = await roster.call("/api/users", { method: "POST", json: body });
  expect(response.status).toBe(201);
  return await response.json();
}

test("each of two nodes sees the other's writes at once", async () => {
  for (let i = 0; i < 20; i++) {
    const [writer, reader] = i % 2 ? [one, two] : [two, one];
    const user = await create(writer, { name: `Zoë ${i}`, turn: i });
    const path = `/api/users/${user.id}`;
    const read: User = await (await reader.call(path)).json();
    expect(read).toEqual(user);
    expect((await listAllUsers(reader, `turn=${i}`)).users).toEqual([user]);
    const changed: User = await (await reader.call(path, { method: "PATCH", json: { turn: -1 } })).json();
    expect((await listAllUsers(writer, `q=zoe ${i}`)).users).toContainEqual(changed);
  }
});

test("a create repeated on the other node with the same Idempotency-Key is replayed", async () => {
  const headers = { "idempotency-key": "once" };
  const body = { name: "Once", email: "once@example.com" };
  const first = await one.call("/api/users", { method: "POST", json: body, headers });
  const again = await two.call("/api/users", { method: "POST", json: body, headers });
  expect([first.status, first.headers.get("idempotency-replayed")]).toEqual([201, null]);
  expect([again.status, again.headers.get("idempotency-replayed")]).toEqual([201, "true"]);
  expect(await again.text()).toBe(await first.text());
});

test("creates with the same Idempotency-Key that race through both nodes create one user", async () => {
  for (let round = 0; round < 20; round++) {
    // With and without an email: different unique indexes detect the duplicate.
    const body = { name: "Raced", round, ...(round % 2 && { email: `raced${round}@example.com` }) };
    const headers = { "idempotency-key": `race-${round}` };
    const race = Array.from({ length: 8 }, (_, i) =>
      inTurn(i).call("/api/users", { method: "POST", json: body, headers }),
    );
    const responses = await Promise.all(race);
    const texts = new Set<string>();
    for (const response of responses) {
      const text = await response.text();
      if (response.status === 201) texts.add(text);
      // The first create on the same node is still running.
      else expect([response.status, text]).toEqual([409, expect.stringContaining("idempotency-in-flight")]);
    }
    const isFirst = ({ status, headers }: Response) =>
      status === 201 && headers.get("idempotency-replayed") === null;
    expect({ round, firsts: responses.filter(isFirst).length, texts: texts.size }).toEqual({
      round,
      firsts: 1,
      texts: 1,
    });
    expect((await listAllUsers(two, `round=${round}`)).users.length).toBe(1);
  }
});

test("when creates with the same email race through both nodes, exactly one gets 201", async () => {
  for (let round = 0; round < 10; round++) {
    const email = `one${round}@example.com`;
    const race = Array.from({ length: 20 }, (_, i) =>
      inTurn(i).call("/api/users", { method: "POST", json: { name: "R", email } }),
    );
    const statuses = (await Promise.all(race)).map(({ status }) => status).sort();
    expect(statuses).toEqual([201, ...Array.from({ length: 19 }, () => 409)]);
  }
});

test("when both nodes create users with many of the same emails, each email is used once", async () => {
  const emails = Array.from({ length: 40 }, (_, i) => `user${i}@example.com`);
  const createAll = (roster: Roster, list: string[]) =>
    list.map((email) => roster.call("/api/users", { method: "POST", json: { name: "W", email } }));
  const race = [...createAll(one, emails), ...createAll(two, emails.toReversed())];
  const statuses = (await Promise.all(race)).map(({ status }) => status).sort();
  expect(statuses).toEqual([...emails.map(() => 201), ...emails.map(() => 409)]);
});

test("ids are unique across nodes, and later ids are higher", async () => {
  const ids: number[] = [];
  for (let i = 0; i < 50; i++) ids.push((await create(inTurn(i), { name: `Id ${i}` })).id);
  expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
  const together = Array.from({ length: 200 }, (_, i) => create(inTurn(i), { name: `At once ${i}` }));
  const more = (await Promise.all(together)).map(({ id }) => id);
  expect(new Set([...ids, ...more]).size).toBe(250);
  expect(Math.min(...more)).toBeGreaterThan(Math.max(...ids));
});

test("X-Total-Count is exact after writes on both nodes", async () => {
  const before = (await listAllUsers(one)).total;
  const added = await Promise.all(
    Array.from({ length: 100 }, (_, i) => create(inTurn(i), { name: `Counted ${i}` })),
  );
  const removed = added.filter((_, i) => i % 3 === 0);
  await Promise.all(removed.map(({ id }, i) => inTurn(i).call(`/api/users/${id}`, { method: "DELETE" })));
  for (const roster of [one, two]) {
    const { users, total } = await listAllUsers(roster);
    expect([total, users.length]).toEqual([before + 66, before + 66]);
    expect((await listAllUsers(roster, "q=counted")).total).toBe(66);
  }
});

test("a node reads its own writes, a thousand times", async () => {
  const missing: number[] = [];
  const caller = async (index: number) => {
    for (let i = 0; i < 100; i++) {
      const user = await create(inTurn(index), { name: `Read ${index}/${i}` });
      const response = await inTurn(index).call(`/api/users/${user.id}`);
      if (response.status !== 200) missing.push(user.id);
    }
  };
  await Promise.all(Array.from({ length: 10 }, (_, index) => caller(index)));
  expect(missing).toEqual([]);
});
