/** Disk space and WAL of users in PostgreSQL: bytes of tables and indexes for each user and its event, and WAL bytes for each create. */
import { type BenchPostgres, startFilledPostgres } from "../support/bench-postgres.ts";
import { startService } from "../support/child-server.ts";
import { readOptions } from "../support/options.ts";
import { interleave } from "../support/rounds.ts";
import { runLoad } from "../support/run-load.ts";
import { median } from "../support/statistics.ts";
import { print } from "../support/table.ts";

const { numbers, json } = readOptions({ users: 100_000, creates: 10_000, rounds: 2, connections: 16 });
const { users, creates, rounds, connections } = numbers;
const EVENT_TABLES = ["events", "event_usage"];
/** Holds events for a moment if nodes publish them; here, all events of all users were in it. */
const QUEUE = "new_events";

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

/** With and without images of the whole pages that change first after a checkpoint. */
const SETTINGS = ["on", "off"] as const;
const results = await interleave(SETTINGS, rounds, measureWal);
const wal = [...results].map(([fullPageWrites, all]) => ({
  fullPageWrites,
  walBytes: median(all.map(({ walBytes }) => walBytes)),
  pageImages: median(all.map(({ pageImages }) => pageImages)),
  errors: all.reduce((total, { errors }) => total + errors, 0),
}));

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
    .filter(({ name, table, indexes }) => name !== QUEUE && table + indexes > 1);
}

async function measureWal(fullPageWrites: (typeof SETTINGS)[number]) {
  await postgres.query(`ALTER SYSTEM SET full_page_writes = ${fullPageWrites}`);
  await postgres.query("SELECT pg_reload_conf()");
  const service = await startService(postgres.url());
  await postgres.query("CHECKPOINT");
  const before = { wal: await postgres.walBytes(), images: await readPageImages() };
  const load = { url: service.url, kinds: ["create"], connections, requests: creates };
  const { requests, errors } = await runLoad(load);
  // Reading events publishes all.
  await fetch(`${service.url}/api/events?limit=1`);
  const written = (await postgres.walBytes()) - before.wal;
  // Connections report what they have counted when they close.
  await service[Symbol.asyncDispose]();
  const images = (await readPageImages()) - before.images;
  return { walBytes: written / requests, pageImages: images / requests, errors };
}

async function readPageImages(): Promise<number> {
  const [first] = await postgres.query("SELECT wal_fpi FROM pg_stat_wal");
  return Number(first?.[0]);
}

const row = (name: string, { table, indexes }: { table: number; indexes: number }) => [
  name,
  table.toFixed(0),
  indexes.toFixed(0),
  (table + indexes).toFixed(0),
];
print(json, { users, creates, rounds, tables, ofUsers, ofEvents, wal }, [
  ["bytes per user", "table", "indexes", "together"],
  ...tables.map((each) => row(each.name, each)),
  row("all for the user", ofUsers),
  row("all for its event", ofEvents),
]);
if (!json) {
  console.log();
  print(false, {}, [
    ["full_page_writes", "WAL bytes/create", "page images/create", "errors"],
    ...wal.map((each) => [
      each.fullPageWrites,
      each.walBytes.toFixed(0),
      each.pageImages.toFixed(2),
      String(each.errors),
    ]),
  ]);
}
process.exitCode = wal.some(({ errors }) => errors > 0) ? 1 : 0;
