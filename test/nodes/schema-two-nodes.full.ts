import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import {
  type FreshDatabase,
  freshDatabase,
  startPostgresBeforeTests,
} from "../support/postgres/fresh-database.ts";
import { type Roster, startRoster, stopAll } from "../support/process/roster.ts";
import { describeResponse } from "../support/responses.ts";

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
  await stopAll();
  await database.drop();
}, 120_000);

const nodeOf = (index: number) => (index % 2 ? one : two);
const setSchema = async (node: Roster, schema: object) => {
  const response = await node.call("/api/schema", { method: "PUT", json: schema });
  expect(response.status).toBe(200);
};

test("a write after a change of the schema on the other node is checked against the new schema", async () => {
  for (let round = 0; round < 20; round++) {
    const [changer, writer] = round % 2 ? [one, two] : [two, one];
    await setSchema(changer, { properties: { round: { const: round } } });
    const create = (value: number) =>
      writer.call("/api/users", { method: "POST", json: { name: "Ada", round: value } });
    const rejected = async () =>
      expect(await describeResponse(await create(round + 1))).toBe("422 invalid-user");
    const accepted = async () => expect(await describeResponse(await create(round))).toBe("201");
    // Either of them is the first write after the change.
    for (const check of round % 4 < 2 ? [rejected, accepted] : [accepted, rejected]) await check();
  }
});

test("no write slips past a change of the schema that races it", async () => {
  await setSchema(one, {});
  let allowed = 0;
  let done = false;
  let answered = 0;
  const write = async (node: Roster) => {
    while (!done) {
      const value = allowed;
      const response = await node.call("/api/users", {
        method: "POST",
        json: { name: "Racer", epoch: value },
      });
      expect(["201", "422 invalid-user"]).toContain(await describeResponse(response));
      answered++;
    }
  };
  const writers = [one, two, one, two].map(write);
  for (let epoch = 1; epoch <= 15; epoch++) {
    await setSchema(nodeOf(epoch), { properties: { epoch: { type: "integer", minimum: epoch } } });
    allowed = epoch;
    const before = answered;
    await Promise.all([one, two].map((node) => node.until(() => answered > before + 4)));
  }
  done = true;
  await Promise.all(writers);
  // In the order of commits, each user satisfies the schema before it.
  const response = await one.call("/api/events?limit=100", { headers: { accept: "application/x-ndjson" } });
  const events = (await response.text())
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  let minimum = 0;
  let created = 0;
  for (const { type, record } of events) {
    if (type === "schema.updated") minimum = record.properties?.epoch?.minimum ?? 0;
    else if (record.name === "Racer") {
      created++;
      expect(record.epoch).toBeGreaterThanOrEqual(minimum);
    }
  }
  expect(created).toBeGreaterThan(10);
});

test("a value of a unique field goes to one of many racing creates, while the field becomes unique", async () => {
  await setSchema(one, {});
  const unique = { properties: { badge: { type: "string", "x-unique": true } } };
  for (let round = 0; round < 5; round++) {
    const race = Array.from({ length: 12 }, (_, i) =>
      nodeOf(i).call("/api/users", {
        method: "POST",
        json: { name: `User ${i}`, badge: `badge ${round} ${i % 3}` },
      }),
    );
    const put = two.call("/api/schema", { method: "PUT", json: unique });
    await Promise.all(race.map(async (response) => describeResponse(await response)));
    const outcome = await describeResponse(await put);
    expect(["200", "409 value-taken"]).toContain(outcome);
    const users: { id: number; badge?: string }[] = await (
      await one.call("/api/users?limit=1000&sort=-id")
    ).json();
    const badges = users.flatMap(({ badge }) => (badge === undefined ? [] : [badge]));
    if (outcome === "200") expect(new Set(badges).size).toBe(badges.length);
    const more = Array.from({ length: 8 }, (_, i) =>
      nodeOf(i).call("/api/users", { method: "POST", json: { name: "Late", badge: `late ${round}` } }),
    );
    const outcomes = await Promise.all(more.map(async (response) => describeResponse(await response)));
    if (outcome === "200") expect(outcomes.filter((text) => text === "201")).toHaveLength(1);
    await setSchema(one, {});
    for (const { id, badge } of users) if (badge) await one.call(`/api/users/${id}`, { method: "DELETE" });
  }
});
