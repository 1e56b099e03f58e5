import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { exportUsers, type Fields, toNdjson } from "../support/bulk-requests.ts";
import { findPostgresCorruption } from "../support/consistency/postgres-corruption.ts";
import {
  type FreshDatabase,
  freshDatabase,
  startPostgresBeforeTests,
} from "../support/postgres/fresh-database.ts";
import {
  findImportErrors,
  importLines,
  importWithRetries,
  RunningImport,
} from "../support/process/bulk-import.ts";
import { type Roster, startRoster, stopAll } from "../support/process/roster.ts";

setDefaultTimeout(120_000);
startPostgresBeforeTests();

const LINES = 4000;
let database: FreshDatabase;
let nodes: readonly [Roster, Roster];
beforeAll(async () => {
  database = await freshDatabase();
  const first = await startRoster(database.url);
  nodes = [first, await startRoster(database.url)];
}, 120_000);
afterAll(async () => {
  await stopAll();
  await database.drop();
});

test("an import sent to two nodes with the same idempotency key creates each user once, and both report the same", async () => {
  const body = toNdjson(importLines("both", LINES));
  const [one, two] = await Promise.all(nodes.map((node) => importWithRetries(node, body, "both")));
  expect(one).toEqual(two ?? []);
  const users = await exportUsers(nodes[0], "?file=both");
  expect(findImportErrors(users, one ?? [])).toEqual([]);
  expect(users).toHaveLength(LINES);
});

test("an import that breaks off on one node continues on another", async () => {
  const body = toNdjson(importLines("moved", LINES));
  const first = new RunningImport(nodes[0], body, "moved");
  await first.until(1000);
  const lines = await importWithRetries(nodes[1], body, "moved");
  const { lines: reported } = await first.end;
  const users = await exportUsers(nodes[1], "?file=moved");
  expect(findImportErrors(users, [...reported, ...lines])).toEqual([]);
  expect(users).toHaveLength(LINES);
});

test("when two imports on two nodes contain the same email, one line gets it and each line has a result", async () => {
  const file = (name: string, order: number) => {
    const lines = Array.from({ length: LINES }, (_, index): Fields => {
      // In opposite orders, which would deadlock without ordered locks.
      const number = order > 0 ? index : LINES - 1 - index;
      return { name: `${name} ${number}`, email: `shared${number}@example.com`, file: "shared" };
    });
    return toNdjson(lines);
  };
  const ends = await Promise.all(
    nodes.map((node, index) => new RunningImport(node, file(`n${index}`, index), undefined).end),
  );
  const statuses = ends.flatMap(({ lines }) => lines.map(({ status }) => status));
  expect(statuses).toHaveLength(2 * LINES);
  expect(statuses.filter((status) => status === 201)).toHaveLength(LINES);
  expect(statuses.filter((status) => status === 409)).toHaveLength(LINES);
  expect(await exportUsers(nodes[0], "?file=shared")).toHaveLength(LINES);
  expect(await findPostgresCorruption(database.url, 3 * LINES)).toEqual([]);
});
