/** Durable creates per second with group commit, compared with one transaction per request. */
import { Database } from "bun:sqlite";
import { startService } from "./support/child-server.ts";
import { type CreateRound, summarizeCreates } from "./support/create-rounds.ts";
import { readOptions } from "./support/options.ts";
import { interleave } from "./support/rounds.ts";
import { measureLoad } from "./support/run-load.ts";
import { ScratchFolder } from "./support/scratch-folder.ts";
import { print, verdict } from "./support/table.ts";

const TARGET = 4;
const WARM_UP_SECONDS = 1;

const { numbers, json } = readOptions({ rounds: 5, seconds: 3, connections: 64 });
const { rounds, seconds, connections } = numbers;

interface Subject {
  readonly name: string;
  readonly flags: readonly string[];
}

const single: Subject = { name: "one transaction per request", flags: ["--commit-batch=1"] };
const grouped: Subject = { name: "default (group commit)", flags: [] };

/** Every round starts a new process on a new database. */
async function run({ flags }: Subject): Promise<CreateRound> {
  using folder = new ScratchFolder();
  const database = folder.file("roster.db");
  const { warmUp, measured } = await load(database, flags);
  const acknowledged = warmUp.requests - warmUp.errors + measured.requests - measured.errors;
  const errors = warmUp.errors + measured.errors;
  return { ...measured, errors, acknowledged, stored: countUsers(database) };
}

async function load(database: string, flags: readonly string[]) {
  await using service = await startService(database, flags);
  const create = { url: service.url, kinds: ["create"], connections };
  const warmUp = await measureLoad(service.pid, { ...create, seconds: WARM_UP_SECONDS });
  return { warmUp, measured: await measureLoad(service.pid, { ...create, seconds }) };
}

function countUsers(path: string): number {
  using database = new Database(path, { readonly: true });
  return database.query<{ users: number }, []>("SELECT count(*) AS users FROM users").get()?.users ?? 0;
}

const results = await interleave([single, grouped], rounds, run);
const figures = [...results].map(([{ name }, createRounds]) => ({ name, ...summarizeCreates(createRounds) }));
const base = figures[0]?.rate ?? Number.NaN;
const ratio = (figures[1]?.rate ?? Number.NaN) / base;
const complete = [...results.values()].flat().every(({ acknowledged, stored }) => acknowledged === stored);

print(
  json,
  { rounds, seconds, connections, figures, ratio, target: TARGET, met: ratio >= TARGET, complete },
  [
    [
      "",
      "creates/s",
      "low–high",
      "×",
      "target",
      "",
      "CPU µs/create",
      "p50 ms",
      "p99 ms",
      "errors",
      "201s",
      "in database",
    ],
    ...figures.map(
      ({ name, rate, lowest, highest, cpuMicros, p50Ms, p99Ms, errors, acknowledged, stored }) => [
        name,
        rate.toFixed(0),
        `${lowest.toFixed(0)}–${highest.toFixed(0)}`,
        (rate / base).toFixed(2),
        name === grouped.name ? `≥ ${TARGET.toFixed(1)}` : "",
        name === grouped.name ? verdict(ratio >= TARGET) : "",
        cpuMicros.toFixed(1),
        p50Ms.toFixed(2),
        p99Ms.toFixed(2),
        String(errors),
        String(acknowledged),
        String(stored),
      ],
    ),
  ],
);
if (!complete) console.error("In some rounds, the database does not contain exactly the acknowledged users.");
process.exitCode = complete && figures.every(({ errors }) => errors === 0) ? 0 : 1;
