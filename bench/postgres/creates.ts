/** Durable creates per second in PostgreSQL with group commit, compared with one statement or transaction per request. */

import { BenchPostgres, createSchema } from "../support/bench-postgres.ts";
import { type ChildServer, startInsertPerRequest, startService } from "../support/child-server.ts";
import { summarizeCreates } from "../support/create-rounds.ts";
import { timeFsync } from "../support/fsync-time.ts";
import { readOptions } from "../support/options.ts";
import { interleave } from "../support/rounds.ts";
import { measureLoad } from "../support/run-load.ts";
import { median } from "../support/statistics.ts";
import { print, verdict } from "../support/table.ts";

const TARGET = 5;
const WARM_UP_SECONDS = 1;
const EMPTY = "roster_empty";

const { numbers, json } = readOptions({ rounds: 5, seconds: 3, connections: 64 });
const { rounds, seconds, connections } = numbers;

interface Subject {
  readonly name: string;
  start(url: string): Promise<ChildServer>;
}

const plain: Subject = { name: "one INSERT per request, 10 connections", start: startInsertPerRequest };
const single: Subject = {
  name: "Roster, one transaction per request",
  start: (url) => startService(url, ["--commit-batch=1"]),
};
const grouped: Subject = { name: "Roster, default (group commit)", start: (url) => startService(url) };

await using postgres = await BenchPostgres.start();
await postgres.query(`CREATE DATABASE ${EMPTY}`);
await createSchema(postgres.url(EMPTY));
const fsync = timeFsync(postgres.server.folder);

/** Every round starts a new process on a new database. */
async function run(subject: Subject) {
  const database = "roster_round";
  await postgres.query(`CREATE DATABASE ${database} TEMPLATE ${EMPTY}`);
  try {
    await postgres.query("CHECKPOINT");
    const { warmUp, measured } = await load(subject, postgres.url(database));
    const acknowledged = warmUp.requests - warmUp.errors + measured.requests - measured.errors;
    const [row] = await postgres.query("SELECT count(*) FROM roster.users", database);
    return {
      ...measured,
      errors: warmUp.errors + measured.errors,
      acknowledged,
      stored: Number(row?.[0]),
    };
  } finally {
    await postgres.query(`DROP DATABASE ${database} WITH (FORCE)`);
  }
}

async function load(subject: Subject, url: string) {
  await using service = await subject.start(url);
  const create = { url: service.url, kinds: ["create"], connections };
  const creating = (time: number) =>
    postgres.measure(() => measureLoad(service.pid, { ...create, seconds: time }));
  const warmUp = await creating(WARM_UP_SECONDS);
  return { warmUp, measured: await creating(seconds) };
}

const results = await interleave([plain, single, grouped], rounds, run);
const figures = [...results].map(([{ name }, createRounds]) => ({
  name,
  ...summarizeCreates(createRounds),
  postgresMicros: median(createRounds.map(({ postgresMicros }) => postgresMicros)),
}));
const rate = figures.at(-1)?.rate ?? Number.NaN;
const ratios = figures.slice(0, -1).map((base) => ({ to: base.name, ratio: rate / base.rate }));
const met = ratios.every(({ ratio }) => ratio >= TARGET);
const complete = [...results.values()].flat().every(({ acknowledged, stored }) => acknowledged === stored);

print(json, { rounds, seconds, connections, fsync, figures, ratios, target: TARGET, met, complete }, [
  [
    ...["", "creates/s", "low–high", "CPU µs/create", "PostgreSQL's"],
    ...["p50 ms", "p99 ms", "errors", "201s", "in database"],
  ],
  ...figures.map((figure) => [
    figure.name,
    figure.rate.toFixed(0),
    `${figure.lowest.toFixed(0)}–${figure.highest.toFixed(0)}`,
    figure.cpuMicros.toFixed(1),
    figure.postgresMicros.toFixed(1),
    figure.p50Ms.toFixed(2),
    figure.p99Ms.toFixed(2),
    String(figure.errors),
    String(figure.acknowledged),
    String(figure.stored),
  ]),
]);
if (!json) {
  const { medianMicros, p99Micros } = fsync;
  console.log(`\nfsync of 8 kB: median ${medianMicros.toFixed(0)} µs, p99 ${p99Micros.toFixed(0)} µs`);
  for (const { to, ratio } of ratios) {
    console.log(`group commit: ${ratio.toFixed(2)} × ${to}, target ≥ ${TARGET}, ${verdict(ratio >= TARGET)}`);
  }
}
if (!complete) console.error("In some rounds, the database does not contain exactly the acknowledged users.");
process.exitCode = complete && figures.every(({ errors }) => errors === 0) ? 0 : 1;
