/**
 * CPU time of giving positions to events. Nodes take turns with this work: the time of one transaction, with its commit, bounds how
 * many events per second all nodes together can publish.
 */
import { SQL } from "bun";
import { MAX_PUBLISHED } from "../../src/store/events/postgres-events.ts";
import { BenchPostgres, createSchema } from "../support/bench-postgres.ts";
import { timeFsync } from "../support/fsync-time.ts";
import { readOptions } from "../support/options.ts";
import { readCpuSeconds, readTreeCpuSeconds } from "../support/process-usage.ts";
import { interleave } from "../support/rounds.ts";
import { median, percentile } from "../support/statistics.ts";
import { print } from "../support/table.ts";

const { numbers, json } = readOptions({ users: 20_000, rounds: 5 });
const { users, rounds } = numbers;
const BATCHES = [1, 10, 100, MAX_PUBLISHED];
/** Enough for CPU time that is counted in steps of 10 ms. */
const MOST_TRANSACTIONS = 2000;

await using postgres = await BenchPostgres.start();
await createSchema(postgres.url(), users);
const fsync = timeFsync(postgres.server.folder);
await using sql = new SQL(postgres.url(), { max: 1 });
const COLUMNS = "subject_type, subject_id, action, version, actor, request_id, changes, record";

async function readNumber(statement: string, ...values: number[]): Promise<number> {
  const [row]: unknown[][] = await sql.unsafe(statement, values).values();
  return Number(row?.[0]);
}

const backend = await readNumber("SELECT pg_backend_pid()");
await readNumber("SELECT roster.publish_events(0, NULL)");

/** Appends copies of the events of created users, and publishes them, `batch` in each transaction. */
async function run(batch: number) {
  const afterKey = await readNumber("SELECT coalesce(pg_sequence_last_value('roster.new_event_keys'), 0)");
  const events = Math.min(users, batch * MOST_TRANSACTIONS);
  await sql.unsafe(
    `INSERT INTO roster.new_events (${COLUMNS}) SELECT ${COLUMNS} FROM roster.events ORDER BY position LIMIT ${events}`,
  );
  await sql.unsafe("CHECKPOINT");
  const walBefore = await postgres.walBytes();
  const before = { backend: readCpuSeconds(backend), server: readTreeCpuSeconds(postgres.server.pid) };
  const times: number[] = [];
  let published = 0;
  while (published < events) {
    const start = performance.now();
    const count = await readNumber("SELECT roster.publish_events($1, $2)", afterKey, batch);
    times.push(performance.now() - start);
    if (count === 0) throw new Error(`Only ${published} of ${events} events were published.`);
    published += count;
  }
  return {
    backendMicros: ((readCpuSeconds(backend) - before.backend) * 1e6) / events,
    serverMicros: ((readTreeCpuSeconds(postgres.server.pid) - before.server) * 1e6) / events,
    walBytes: ((await postgres.walBytes()) - walBefore) / events,
    medianMs: median(times),
    shortMs: percentile(times, 0.1),
  };
}

await run(MAX_PUBLISHED);
const results = await interleave(BATCHES, rounds, run);
const figures = [...results].map(([batch, all]) => {
  const middle = (read: (round: (typeof all)[number]) => number) => median(all.map(read));
  const backendMicros = middle((round) => round.backendMicros);
  return {
    batch,
    backendMicros,
    serverMicros: middle((round) => round.serverMicros),
    walBytes: middle((round) => round.walBytes),
    medianMs: middle((round) => round.medianMs),
    shortMs: middle((round) => round.shortMs),
    /** If commits took no time. */
    ceiling: 1e6 / backendMicros,
  };
});

print(json, { users, rounds, fsync, figures }, [
  [
    ...["events/transaction", "CPU µs/event", "of all processes", "events/s of this CPU", "WAL bytes/event"],
    ...["transaction, p50 ms", "p10 ms"],
  ],
  ...figures.map((figure) => [
    String(figure.batch),
    figure.backendMicros.toFixed(1),
    figure.serverMicros.toFixed(1),
    figure.ceiling.toFixed(0),
    figure.walBytes.toFixed(0),
    figure.medianMs.toFixed(2),
    figure.shortMs.toFixed(2),
  ]),
]);
if (!json) console.log(`\nfsync of 8 kB: median ${fsync.medianMicros.toFixed(0)} µs`);
