import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { statSync } from "node:fs";
import { join } from "node:path";
import { anonymousOrigin } from "../../src/domain/caller.ts";
import type { Store } from "../../src/domain/store.ts";
import { defaultRecordRules } from "../../src/domain/users/record-rules.ts";
import { connect, openDatabase } from "../../src/store/sqlite/database.ts";
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { Writer } from "../../src/store/sqlite/writer.ts";
import type { Write } from "../../src/store/writes/apply-write.ts";
import { temporaryFolder } from "../support/process/roster.ts";

setDefaultTimeout(60_000);

const path = join(temporaryFolder(), "roster.db");
let store: Store;

beforeAll(() => {
  openDatabase(path, 1000).close();
  store = openSqliteStore(
    { path, batch: 64, queue: 10_000, waitMs: 60_000, recordRules: defaultRecordRules },
    { committed: () => {} },
  );
});
afterAll(() => store.close());

const create = (name: string, bytes = 1): Write => ({
  kind: "create",
  by: anonymousOrigin,
  idempotencyKey: undefined,
  attempt: { record: { name, note: "x".repeat(bytes) } },
});

test("erases the events of a user who is created and purged in the same batch", () => {
  const db = connect(path, 1000);
  const [created] = new Writer(db, defaultRecordRules).apply([create("Ada")]);
  if (created?.kind !== "create" || !("user" in created.outcome)) throw new Error("Ada was not created.");
  const id = created.outcome.user.id + 1;
  new Writer(db, defaultRecordRules).apply([
    create("Grace"),
    { kind: "remove", id, precondition: undefined, by: anonymousOrigin, purge: true },
    create("Alan"),
  ]);
  const events = db
    .query<{ subject_id: number; action: string; record: string }, []>(
      "SELECT subject_id, action, record FROM events ORDER BY position",
    )
    .all();
  db.close();
  expect(events.map(({ subject_id, action }) => [subject_id - id, action])).toEqual([
    [-1, "created"],
    [0, "created"],
    [0, "deleted"],
    [0, "purged"],
    [1, "created"],
  ]);
  const ofGrace = events.filter(({ subject_id }) => subject_id === id);
  expect(ofGrace.some(({ record }) => record.includes("Grace"))).toBe(false);
});

/** Lets the reads and the writer thread go on. */
const otherWork = () => Bun.sleep(1);

test("frequent reads do not keep this or another process from restarting the log", async () => {
  const other = connect(path, 60_000);
  const writer = new Writer(other, defaultRecordRules);
  let isReading = true;
  const reading = (async () => {
    while (isReading) {
      for (let read = 0; read < 50; read++) await store.users.read(1);
      await otherWork();
    }
  })();
  let written = 0;
  const limit = 2 * 4000 * 4096;
  while (written < 2 * limit) {
    await store.users.create({ record: { name: "Ada", note: "x".repeat(60_000) } });
    writer.apply(Array.from({ length: 20 }, () => create("Grace", 60_000)));
    written += 2 * 21 * 60_000;
    await otherWork();
  }
  isReading = false;
  await reading;
  other.close();
  expect(statSync(`${path}-wal`).size).toBeLessThan(limit);
});
