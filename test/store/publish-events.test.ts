import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SQL } from "bun";
import { parseDatabase } from "../../src/config/database-url.ts";
import { anonymousOrigin } from "../../src/domain/caller.ts";
import type { Store } from "../../src/domain/store.ts";
import { beginBackup } from "../../src/store/archive/backup.ts";
import { appendPostgresEvents } from "../../src/store/events/postgres-events.ts";
import { openTestStore } from "../support/open-test-store.ts";
import {
  type FreshDatabase,
  freshDatabase,
  pooler,
  startPostgresBeforeTests,
} from "../support/postgres/fresh-database.ts";
import { importUsers } from "./support/import-users.ts";

setDefaultTimeout(60_000);

/** How a node of the version before appends an event of the user $1. */
const APPEND_AS_BEFORE = `
  WITH locked AS MATERIALIZED (
    SELECT roster.lock_events(-1)
  ), taken AS MATERIALIZED (
    SELECT setval('roster.event_positions',
      greatest(nextval('roster.event_positions'), (extract(epoch FROM clock_timestamp()) * 1000000)::bigint)) AS first
    FROM locked
  )
  INSERT INTO roster.events (position, subject_type, subject_id, action, version, changes, record)
  SELECT first, 'user', $1::bigint, 'updated', 2, '{}', '{}' FROM taken`;

describe("events that have no position yet", () => {
  startPostgresBeforeTests();
  let database: FreshDatabase;
  let store: Store;
  let sql: SQL;
  beforeAll(async () => {
    database = await freshDatabase();
    store = await openTestStore(database.url);
    sql = new SQL(database.url, { max: 1, prepare: pooler === "none" });
  });
  afterAll(async () => {
    await sql.close();
    await store.close();
    await database.drop();
  });

  const create = async (name: string) => {
    const { outcome } = await store.users.create({ record: { name } });
    if ("problem" in outcome) throw new Error(outcome.problem.detail);
    return outcome.user.id;
  };
  const countNew = async () => {
    const [row] = await sql.unsafe("SELECT count(*)::int FROM roster.new_events").values();
    return Number(row?.[0]);
  };
  const typesAfter = async (after: number) =>
    (await store.events.read({ after, limit: 100 }))?.events.map(({ type }) => type);

  test("come before an event that a node of the version before appends", async () => {
    const after = await store.events.last();
    const id = await create("Ada");
    expect(await countNew()).toBe(1);
    await sql.unsafe(APPEND_AS_BEFORE, [String(id)]);
    expect(await countNew()).toBe(0);
    await store.users.remove(id);
    expect(await typesAfter(after)).toEqual(["user.created", "user.updated", "user.deleted"]);
  });

  test("are erased with their user", async () => {
    const id = await create("Grace Hopper");
    await store.users.remove(id);
    expect(await countNew()).toBeGreaterThan(1);
    await store.deletedUsers.purge(id, undefined, anonymousOrigin);
    const tables = ["events", "new_events"].map(
      (table) => `SELECT 1 FROM roster.${table} WHERE record LIKE '%Grace Hopper%'`,
    );
    expect(await sql.unsafe(tables.join(" UNION ALL ")).values()).toHaveLength(0);
  });

  test("are not delivered to a webhook that is created later, and those of later changes are", async () => {
    await create("Before");
    const settings = { url: "https://hooks.example.com/", types: ["*"], description: "", filter: null };
    const webhook = await store.webhooks.create(
      { ...settings, active: true, secret: "whsec_1" },
      anonymousOrigin,
    );
    await create("After");
    const page = await store.events.read({ after: webhook.position, limit: 10 });
    expect(page?.events.map(({ json }) => JSON.parse(json).record.name)).toEqual(["After"]);
  });

  test("are part of a backup, behind all others", async () => {
    const folder = mkdtempSync(join(tmpdir(), "roster-publish-"));
    const file = join(folder, "backup.db");
    const last = await store.events.last();
    await create("Last");
    expect(await countNew()).toBe(1);
    const access = { waitMs: 60_000, dedicatedSessions: pooler === "none" };
    await beginBackup(parseDatabase(database.url), file, { ...access, replace: false }).run(() => undefined);
    const copy = await openTestStore(file);
    const page = await copy.events.read({ after: last, limit: 10 });
    expect(page?.events.map(({ json }) => JSON.parse(json).record.name)).toEqual(["Last"]);
    // A cleanup of the copy must not take them for old ones.
    const [event] = page?.events ?? [];
    expect(JSON.parse(event?.json ?? "").time >= JSON.parse(event?.json ?? "").record.createdAt).toBe(true);
    await copy.close();
    rmSync(folder, { recursive: true });
  });

  test("get their positions when the service stops", async () => {
    const other = await openTestStore(database.url);
    await other.users.create({ record: { name: "Ada" } });
    await other.close();
    expect(await countNew()).toBe(0);
  });

  test("get their positions in the order of the appends, in as many transactions as it takes", async () => {
    const after = await store.events.last();
    for (let i = 0; i < 5; i++) await importUsers(store, 500);
    expect(await countNew()).toBe(2500);
    const lines = await store.events.readLines({ after, limit: 1 });
    const positions = await sql
      .unsafe("SELECT subject_id::int FROM roster.events WHERE position > $1 ORDER BY position", [
        String(after),
      ])
      .values();
    expect(lines?.size).toBeGreaterThan(0);
    expect(await countNew()).toBe(0);
    const ids = positions.map(([id]: unknown[]) => Number(id));
    expect(ids).toEqual([...ids].sort((a, b) => a - b));
    expect(ids).toHaveLength(2500);
  });

  test("are found even if a transaction is committed after later ones were published", async () => {
    const late = await sql.reserve();
    await late`BEGIN`;
    const draft = { subjectId: 1, version: null, by: anonymousOrigin, changes: "{}", record: "{}" };
    const { text, values } = appendPostgresEvents([{ ...draft, type: "key.created" }]);
    await late.unsafe(text, values);
    await create("Early");
    const after = await store.events.last();
    await late`COMMIT`;
    late.release();
    expect(await typesAfter(after)).toEqual(["key.created"]);
  });
});
