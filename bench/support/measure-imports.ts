import type { BareReport } from "../baselines/bare-inserts.ts";
import type { ChildServer } from "./child-server.ts";
import { importUsers } from "./import-users.ts";
import type { LoadReport } from "./load-report.ts";
import { interleave } from "./rounds.ts";
import { runLoad } from "./run-load.ts";
import { median } from "./statistics.ts";
import { print, table, verdict } from "./table.ts";

const NDJSON = "application/x-ndjson";
const CSV = "text/csv";
/** The most that an import may raise the p99 of reads, as a factor. */
const READ_TARGET = 5;

export interface ImportRound extends BareReport {
  readonly errors: number;
  /** CPU time per user of the database server; 0 for SQLite. */
  readonly serverMicros: number;
  /** The highest resident memory, in MB. */
  readonly peak?: number;
}

export interface ImportBench {
  readonly users: number;
  readonly warmUp: number;
  readonly rounds: number;
  /** How long the reads last, with and without an import. */
  readonly seconds: number;
  /** The number of connections that read. */
  readonly connections: number;
  readonly json: boolean;
  readonly target: number;
  readonly bare: () => Promise<ImportRound>;
  readonly service: (type: string) => Promise<ImportRound>;
  /** Runs the work with a service on an empty database. */
  readonly withService: <T>(work: (server: ChildServer) => Promise<T>) => Promise<T>;
}

/** Measures imports and concurrent reads, prints both, and sets the exit code. */
export async function measureImports(bench: ImportBench): Promise<void> {
  const { users, rounds, json, target } = bench;
  const subjects = ["bare inserts", "import of NDJSON", "import of CSV"] as const;
  const results = await interleave(subjects, rounds, (subject) =>
    subject === "bare inserts" ? bench.bare() : bench.service(subject.endsWith("CSV") ? CSV : NDJSON),
  );
  const figures = [...results].map(([name, reports]) => {
    const totals = reports.map(({ cpuMicros, serverMicros }) => cpuMicros + serverMicros);
    return {
      name,
      totalMicros: median(totals),
      lowest: Math.min(...totals),
      highest: Math.max(...totals),
      cpuMicros: median(reports.map(({ cpuMicros }) => cpuMicros)),
      serverMicros: median(reports.map(({ serverMicros }) => serverMicros)),
      rate: median(reports.map(({ seconds }) => users / seconds)),
      peak: Math.max(...reports.map(({ peak = 0 }) => peak)),
      errors: reports.reduce((sum, { errors }) => sum + errors, 0),
    };
  });
  const base = figures[0]?.totalMicros ?? Number.NaN;
  const rated = figures.map((figure) => ({ ...figure, ratio: figure.totalMicros / base }));
  const reads = await bench.withService((server) => timeReads(server, bench));
  const alone = reads[0]?.p99Ms ?? Number.NaN;
  const readings = reads.map((timing) => ({ ...timing, ratio: timing.p99Ms / alone }));
  print(json, { users, rounds, figures: rated, target, reads: readings, readTarget: READ_TARGET }, [
    [
      "",
      "CPU µs/user",
      "low–high",
      "of it process",
      "database",
      "× bare",
      "target",
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
        name.endsWith("NDJSON") ? `≤ ${target}` : "",
        name.endsWith("NDJSON") ? verdict(ratio <= target) : "",
        rate.toFixed(0),
        peak > 0 ? peak.toFixed(0) : "",
        String(errors),
      ],
    ),
  ]);
  if (!json) {
    const rows = readings.map(({ during, requests, p50Ms, p99Ms, maxMs, ratio }, index) => [
      during,
      String(requests),
      ...[p50Ms, p99Ms, maxMs, ratio].map((figure) => figure.toFixed(2)),
      ...(index > 0 ? [`≤ ${READ_TARGET}`, verdict(ratio <= READ_TARGET)] : []),
    ]);
    const heading = [
      "reading one user during",
      "requests",
      "p50 ms",
      "p99 ms",
      "max ms",
      "× p99",
      "target",
      "",
    ];
    console.log(`\n${table([heading, ...rows])}`);
  }
  process.exitCode = [...rated, ...readings].some(({ errors }) => errors > 0) ? 1 : 0;
}

interface ReadTiming {
  readonly during: string;
  readonly requests: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  readonly errors: number;
}

/** Reads one user repeatedly, alone and during imports. Returns medians of several rounds. */
async function timeReads({ url }: ChildServer, bench: ImportBench): Promise<ReadTiming[]> {
  const { users, warmUp, seconds, connections, rounds } = bench;
  let sent = warmUp;
  const filled = await importUsers(url, NDJSON, 1, warmUp);
  const read = async (): Promise<LoadReport> =>
    runLoad({ url, kinds: [`one:${warmUp}`], connections, seconds });
  const readDuringImport = async (type: string): Promise<LoadReport> => {
    let reading = true;
    let failed = filled.errors;
    const importing = (async () => {
      while (reading) {
        const first = sent + 1;
        sent += users;
        failed += (await importUsers(url, type, first, sent)).errors;
      }
    })();
    await Bun.sleep(500);
    const report = await read();
    reading = false;
    await importing;
    return { ...report, errors: report.errors + failed };
  };
  const subjects = [
    ["no import", read],
    ["an import of NDJSON", () => readDuringImport(NDJSON)],
    ["an import of CSV", () => readDuringImport(CSV)],
  ] as const;
  const results = await interleave(subjects, rounds, ([, run]) => run());
  return [...results].map(([[during], reports]) => ({
    during,
    requests: median(reports.map(({ requests }) => requests)),
    p50Ms: median(reports.map(({ p50Ms }) => p50Ms)),
    p99Ms: median(reports.map(({ p99Ms }) => p99Ms)),
    maxMs: Math.max(...reports.map(({ maxMs }) => maxMs)),
    errors: reports.reduce((sum, { errors }) => sum + errors, 0),
  }));
}
