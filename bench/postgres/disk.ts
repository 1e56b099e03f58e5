/**
 * Disk space and WAL of users in PostgreSQL: bytes of tables and indexes for each user and event, and WAL bytes for each create, just
 * after a checkpoint and without images of whole pages.
 */
import { type BenchPostgres, startFilledPostgres } from "../support/bench-postgres.ts";
import { startService } from "../support/child-server.ts";
import { readOptions } from "../support/options.ts";
import { runLoad } from "../support/run-load.ts";
import { print } from "../support/table.ts";

const { numbers, json } = readOptions({ users: 100_000, creates: 10_000, connections: 16 });
const { users, creates, connections } = numbers;
const EVENT_TABLES = ["events", "event_usage", "new_events"];

await using postgres = await startFilledPostgres(users);
await postgres.query("SELECT roster.publish_events(0, NULL)");
await postgres.query("VACUUM (ANALYZE)");
const tables = await readSizes(postgres);
const sum = (chosen: typeof tables) =>
  chosen.reduce(
    (total, each) => ({ table: total.table + each.table, indexes: total.indexes + each.indexes }),
    { table: 0, indexes: 0 },
  );
const ofEvents = sum(tables.filter(({ name }) => EVENT_TABLES.includes(name)));
const ofUsers = sum(tables.filter(({ name }) => !EVENT_TABLES.includes(name)));

const withPages = await measureWal("on");
const withoutPages = await measureWal("off");

/** Bytes of each table that has more than one for each user, and of its indexes, for each user. */
async function readSizes(server: BenchPostgres) {
  const rows = await server.query(
    `SELECT relname, pg_table_size(c.oid), pg_indexes_size(c.oid) FROM pg_class c
     WHERE relnamespace = 'roster'::regnamespace AND relkind = 'r' ORDER BY pg_total_relation_size(c.oid) DESC`,
  );
  return rows
    .map(([name, table, indexes]) => ({
      name: String(name),
      table: Number(table) / users,
      indexes: Number(indexes) / users,
    }))
    .filter(({ table, indexes }) => table + indexes > 1);
}

async function measureWal(fullPageWrites: "on" | "off") {
  await postgres.query(`ALTER SYSTEM SET full_page_writes = ${fullPageWrites}`);
  await postgres.query("SELECT pg_reload_conf()");
  await using service = await startService(postgres.url());
  await postgres.query("CHECKPOINT");
  const before = await postgres.walBytes();
  const load = { url: service.url, kinds: ["create"], connections, requests: creates };
  const { requests, errors } = await runLoad(load);
  // Reading the last event publishes all.
  await fetch(`${service.url}/api/events?limit=1`);
  return { walBytes: ((await postgres.walBytes()) - before) / requests, errors };
}

const row = (name: string, { table, indexes }: { table: number; indexes: number }) => [
  name,
  table.toFixed(0),
  indexes.toFixed(0),
  (table + indexes).toFixed(0),
];
print(json, { users, creates, tables, ofUsers, ofEvents, wal: { withPages, withoutPages } }, [
  ["bytes per user", "table", "indexes", "together"],
  ...tables.map((each) => row(each.name, each)),
  row("all for the user", ofUsers),
  row("all for its event", ofEvents),
]);
if (!json) {
  console.log(
    `\nWAL bytes per create, ${creates} creates just after a checkpoint: ${withPages.walBytes.toFixed(0)}`,
  );
  console.log(`without images of whole pages: ${withoutPages.walBytes.toFixed(0)}`);
}
process.exitCode = withPages.errors + withoutPages.errors > 0 ? 1 : 0;
