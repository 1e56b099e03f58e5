import type { BareReport } from "./bare-rows.ts";
import type { ChildServer } from "./child-server.ts";
import { type LoadReport, runLoad } from "./load-run.ts";
import { interleave } from "./rounds.ts";
import { sendUsers } from "./send-users.ts";
import { median } from "./statistics.ts";
import { print, table, verdict } from "./table.ts";

const NDJSON = "application/x-ndjson";
/** How many times as long the slowest of a hundred reads may take while an import runs. */
const READ_BAR = 5;

export interface ImportRound extends BareReport {
  readonly errors: number;
  /** CPU time a user of a database that is a server of its own. */
  readonly serverMicros: number;
  /** The most that was ever resident, in MB. */
  readonly peak?: number;
}

export interface ImportBench {
  readonly users: number;
  readonly warmUp: number;
  readonly rounds: number;
  /** How long others read, with and without an import. */
  readonly seconds: number;
  /** Over how many connections they do. */
  readonly connections: number;
  readonly json: boolean;
  readonly bar: number;
  readonly bare: () => Promise<ImportRound>;
  readonly service: (type: string) => Promise<ImportRound>;
  /** Does the work with a service on an empty database. */
  readonly withService: <T>(work: (server: ChildServer) => Promise<T>) => Promise<T>;
}

/** Runs everything, prints it, and sets the status to end with. */
export async function reportImports(bench: ImportBench): Promise<void> {
  const { users, rounds, json, bar } = bench;
  const subjects = ["bare inserts", "import of NDJSON", "import of CSV"] as const;
  const results = await interleave(subjects, rounds, (subject) =>
    subject === "bare inserts" ? bench.bare() : bench.service(subject.endsWith("CSV") ? "text/csv" : NDJSON),
  );
  const figures = [...results].map(([name, all]) => {
    const totals = all.map(({ cpuMicros, serverMicros }) => cpuMicros + serverMicros);
    return {
      name,
      totalMicros: median(totals),
      lowest: Math.min(...totals),
      highest: Math.max(...totals),
      cpuMicros: median(all.map(({ cpuMicros }) => cpuMicros)),
      serverMicros: median(all.map(({ serverMicros }) => serverMicros)),
      rate: median(all.map(({ seconds }) => users / seconds)),
      peak: Math.max(...all.map(({ peak = 0 }) => peak)),
      errors: all.reduce((sum, { errors }) => sum + errors, 0),
    };
  });
  const base = figures[0]?.totalMicros ?? Number.NaN;
  const rated = figures.map((figure) => ({ ...figure, ratio: figure.totalMicros / base }));
  const reads = await bench.withService((server) => timeReads(server, bench));
  const readRatio = reads.during.p99Ms / reads.without.p99Ms;
  const facts = {
    figures: rated,
    bar,
    met: (rated[1]?.ratio ?? Number.NaN) <= bar,
    reads,
    readRatio,
    readBar: READ_BAR,
  };
  print(json, { users, rounds, ...facts, readMet: readRatio <= READ_BAR }, [
    [
      "",
      "CPU µs/user",
      "low–high",
      "of it process",
      "database",
      "× bare",
      "bar",
      "",
      "users/s",
      "peak MB",
      "errors",
    ],
    ...rated.map(
      ({ name, totalMicros, lowest, highest, cpuMicros, serverMicros, ratio, rate, peak, errors }) => [
        name,
        totalMicros.toFixed(1),
        `${lowest.toFixed(1)}–${highest.toFixed(1)}`,
        cpuMicros.toFixed(1),
        serverMicros.toFixed(1),
        ratio.toFixed(2),
        name.endsWith("NDJSON") ? `≤ ${bar}` : "",
        name.endsWith("NDJSON") ? verdict(ratio <= bar) : "",
        rate.toFixed(0),
        peak > 0 ? peak.toFixed(0) : "",
        String(errors),
      ],
    ),
  ]);
  if (!json) {
    const row = (name: string, { requests, p50Ms, p99Ms, maxMs }: typeof reads.without) => [
      name,
      String(requests),
      ...[p50Ms, p99Ms, maxMs].map((ms) => ms.toFixed(2)),
    ];
    const heading = ["reading one user", "requests", "p50 ms", "p99 ms", "max ms"];
    console.log(
      `\n${table([heading, row("with nothing beside it", reads.without), row("during an import", reads.during)])}`,
    );
    console.log(`p99: ${readRatio.toFixed(2)} ×, bar ≤ ${READ_BAR}, ${verdict(readRatio <= READ_BAR)}`);
  }
  const errors = rated.reduce((sum, figure) => sum + figure.errors, reads.errors);
  process.exitCode = errors > 0 ? 1 : 0;
}

/** One caller reads again and again: alone, and while others import all the time. Each in turn, several times. */
async function timeReads({ url }: ChildServer, { warmUp, seconds, connections, rounds }: ImportBench) {
  let sent = warmUp;
  let errors = (await sendUsers(url, NDJSON, 1, warmUp)).errors;
  const read = () => runLoad({ url, kinds: [`one:${warmUp}`], connections, seconds });
  const without: LoadReport[] = [];
  const during: LoadReport[] = [];
  for (let round = 0; round < rounds; round++) {
    without.push(await read());
    let reading = true;
    const importing = (async () => {
      while (reading) {
        const { users, errors: failed } = await sendUsers(url, NDJSON, sent + 1, sent + warmUp);
        sent += users;
        errors += failed;
      }
    })();
    await Bun.sleep(500);
    during.push(await read());
    reading = false;
    await importing;
  }
  for (const report of [...without, ...during]) errors += report.errors;
  const middle = (all: typeof without) => ({
    requests: median(all.map(({ requests }) => requests)),
    p50Ms: median(all.map(({ p50Ms }) => p50Ms)),
    p99Ms: median(all.map(({ p99Ms }) => p99Ms)),
    maxMs: Math.max(...all.map(({ maxMs }) => maxMs)),
  });
  return { without: middle(without), during: middle(during), errors };
}
