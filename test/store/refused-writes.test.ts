import { afterEach, expect, setDefaultTimeout, test } from "bun:test";
import { SQL } from "bun";
import type { Store } from "../../src/domain/store.ts";
import { LOCK_SPACE, LOCKS } from "../../src/store/events/postgres-events.ts";
import { databaseOn, type Engine, onEachEngine } from "../support/engines.ts";
import { openTestStore } from "../support/open-test-store.ts";
import { BreakableProxy } from "../support/postgres/breakable-proxy.ts";
import {
  type FreshDatabase,
  freshDatabase,
  pooler,
  startPostgresBeforeTests,
} from "../support/postgres/fresh-database.ts";
import { takeWriteLock } from "../support/process/write-lock.ts";
import { until } from "../support/until.ts";
import { allUsers, rowsOf } from "./support/store-under-test.ts";

setDefaultTimeout(60_000);

/** How long a write waits for the database. */
const WAIT_MS = 1000;

let cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const clean of cleanups.reverse()) await clean();
  cleanups = [];
});

/** Opens a store whose writes wait for a second. On a busy machine, its first connection may take longer. */
async function openImpatient({ url }: FreshDatabase, dedicatedSessions: boolean): Promise<Store> {
  const open = () => openTestStore(url, { queue: 100, waitMs: WAIT_MS, pool: 3, dedicatedSessions });
  const store = await until(() => open().catch(() => undefined));
  cleanups.push(() => store.close());
  return store;
}

async function openDatabase(engine: Engine): Promise<FreshDatabase> {
  const database = await databaseOn(engine);
  cleanups.push(() => database.drop());
  return database;
}

/** Repeats a write until the database is fast enough for it. */
function createUser(store: Store, name: string): Promise<number> {
  return until(async () => {
    const created = await store.users.create({ record: { name } }).catch(() => undefined);
    return created && "user" in created.outcome ? created.outcome.user.id : undefined;
  });
}

/** Locks the user, as another program can do. Returns a function that releases the lock. */
async function lockUser(engine: Engine, { url }: FreshDatabase, id: number): Promise<() => Promise<void>> {
  if (engine === "sqlite") {
    const other = takeWriteLock(url);
    return async () => {
      other.run("ROLLBACK");
      other.close();
    };
  }
  const sql = new SQL(url, { max: 1 });
  await sql`BEGIN`;
  await sql`SELECT id FROM roster.users WHERE id = ${id} FOR UPDATE`;
  return async () => {
    await sql`ROLLBACK`;
    await sql.close();
  };
}

const settle = (write: Promise<unknown>) =>
  write.then(
    () => "made",
    (error: Error) => error.message,
  );

const queued = async (store: Store) => (await store.gauges()).queuedWrites;

const namesOf = async (store: Store) => rowsOf(await store.users.list(allUsers)).map(({ name }) => name);

onEachEngine((engine) => {
  test("a write that was refused while it waited for a lock is not made when the lock is released", async () => {
    const database = await openDatabase(engine);
    const store = await openImpatient(database, pooler === "none");
    const id = await createUser(store, "Before");
    const release = await lockUser(engine, database, id);
    const first = settle(store.users.edit(id, { merge: { name: "First" } }));
    // The first edit is being committed. The others form the next batch, and are refused while that batch waits.
    await until(async () => (await queued(store)) === 1);
    const others = [
      store.users.edit(id, { merge: { name: "Second" } }),
      store.users.changeMany([id], { merge: { name: "Bulk" } }),
      store.users.import([{ json: JSON.stringify({ id, name: "Imported" }) }], undefined, undefined, {
        match: "id",
        onConflict: "update",
      }),
      store.users.remove(id),
    ].map(settle);
    for (const outcome of await Promise.all([first, ...others])) {
      expect(outcome).toStartWith("unavailable: ");
      expect(outcome).not.toContain("may or may not");
    }
    await release();
    await until(async () => (await queued(store)) === 0);
    expect(await namesOf(store)).toEqual(["Before"]);
    await until(() =>
      settle(store.users.edit(id, { merge: { name: "After" } })).then((text) => text === "made"),
    );
    expect(await namesOf(store)).toEqual(["After"]);
  });
});

startPostgresBeforeTests();

test("PostgreSQL does not commit a transaction that took longer than its caller waits", async () => {
  const database = await freshDatabase();
  cleanups.push(() => database.drop());
  const proxy = await BreakableProxy.start(database.url);
  cleanups.push(async () => proxy.stop());
  const store = await openImpatient({ ...database, url: proxy.url }, true);
  const id = await createUser(store, "Before");
  const sql = new SQL(database.url, { max: 1 });
  cleanups.push(() => sql.close());
  // After an update, PostgreSQL does not cancel the statements of the transaction, as if it were frozen in between.
  await sql
    .unsafe(
      `CREATE FUNCTION be_patient() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
         PERFORM set_config('statement_timeout', '0', true);
         RETURN NEW;
       END $$;
       CREATE TRIGGER be_patient BEFORE UPDATE ON roster.users FOR EACH ROW EXECUTE FUNCTION be_patient()`,
    )
    .simple();
  await sql.unsafe(`SELECT pg_advisory_lock(${LOCK_SPACE}, ${LOCKS.append})`);
  const waiting = () =>
    sql.unsafe("SELECT pid FROM pg_stat_activity WHERE wait_event = 'advisory'").then(({ length }) => length);
  const edit = settle(store.users.edit(id, { merge: { name: "Late" } }));
  // The COMMIT was sent with the statement that waits for the lock.
  await until(async () => (await waiting()) === 1);
  proxy.hidesClosing = true;
  expect(await edit).toContain("The write may or may not have been committed.");
  await sql.unsafe(`SELECT pg_advisory_unlock(${LOCK_SPACE}, ${LOCKS.append})`);
  await until(async () => (await waiting()) === 0);
  const open =
    "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND xact_start IS NOT NULL";
  await until(async () => (await sql.unsafe(`${open} AND pid <> pg_backend_pid()`)).length === 0);
  expect(await sql.unsafe("SELECT json::json ->> 'name' AS name FROM roster.users")).toEqual([
    expect.objectContaining({ name: "Before" }),
  ]);
});
