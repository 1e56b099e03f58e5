/** Users per second and CPU time per request from PostgreSQL through the service, compared with Bun's driver alone. */
import { BareDriver } from "../baselines/bare-driver-process.ts";
import type { DriverReport } from "../baselines/driver-report.ts";
import { startFilledPostgres } from "../support/bench-postgres.ts";
import { startService } from "../support/child-server.ts";
import { readOptions } from "../support/options.ts";
import { interleave } from "../support/rounds.ts";
import { measureLoad } from "../support/run-load.ts";
import { median } from "../support/statistics.ts";
import { print, verdict } from "../support/table.ts";

/** By CPU time: the load generator takes part of the cores from the service, and none from the driver alone. */
const TARGET = 0.7;
const WARM_UP_SECONDS = 2;
const POOL = 10;
/** The number of connections that the service reads with, of a pool of ten. */
const READERS = 3;

const { numbers, json } = readOptions({ users: 100_000, rounds: 7, seconds: 3, connections: 64 });
const { users, rounds, seconds, connections } = numbers;

await using postgres = await startFilledPostgres(users);
const url = postgres.url();
await using service = await startService(url, [`--database-pool=${POOL}`]);
const common = { url, users };
await using single = new BareDriver({
  ...common,
  connections: POOL,
  concurrentStatements: connections,
  usersPerStatement: 1,
});
const usersPerStatement = Math.floor(connections / READERS);
await using grouped = new BareDriver({
  ...common,
  connections: READERS,
  concurrentStatements: READERS,
  usersPerStatement,
});

interface Subject {
  readonly name: string;
  run(seconds: number): Promise<DriverReport & { readonly cpuMicros: number }>;
}

const loadService = (kind: string) => (time: number) =>
  measureLoad(service.pid, { url: service.url, kinds: [kind], connections, seconds: time });
const bare: Subject = { name: "driver, one per statement", run: (time) => single.run(time) };
const serviceOneUser: Subject = { name: "service, one user", run: loadService(`one:${users}`) };
const subjects: Subject[] = [
  bare,
  { name: `driver, ${usersPerStatement} per statement`, run: (time) => grouped.run(time) },
  serviceOneUser,
  { name: "service, list of 20", run: loadService("/api/users?limit=20") },
];

const run = (subject: Subject, time: number) => postgres.measure(() => subject.run(time));
for (const subject of subjects) await run(subject, WARM_UP_SECONDS);
const results = await interleave(subjects, rounds, (subject) => run(subject, seconds));

const figures = subjects.map((subject) => {
  const loads = results.get(subject) ?? [];
  const rates = loads.map(({ rate }) => rate);
  return {
    name: subject.name,
    rate: median(rates),
    lowest: Math.min(...rates),
    highest: Math.max(...rates),
    cpuMicros: median(loads.map(({ cpuMicros }) => cpuMicros)),
    postgresMicros: median(loads.map(({ postgresMicros }) => postgresMicros)),
    totalMicros: median(loads.map(({ cpuMicros, postgresMicros }) => cpuMicros + postgresMicros)),
    p50Ms: median(loads.map(({ p50Ms }) => p50Ms)),
    p99Ms: median(loads.map(({ p99Ms }) => p99Ms)),
    errors: loads.reduce((sum, { errors }) => sum + errors, 0),
  };
});
const figureOf = ({ name }: Subject) => figures.find((figure) => figure.name === name);
const base = { rate: figureOf(bare)?.rate ?? Number.NaN, micros: figureOf(bare)?.totalMicros ?? Number.NaN };
const ratio = base.micros / (figureOf(serviceOneUser)?.totalMicros ?? Number.NaN);

print(json, { users, rounds, seconds, connections, figures, ratio, target: TARGET, met: ratio >= TARGET }, [
  [
    ...["", "CPU µs/request", "PostgreSQL's", "together", "× driver", "target", ""],
    ...["users/s", "low–high", "× driver", "p50 ms", "p99 ms", "errors"],
  ],
  ...figures.map(({ name, cpuMicros, postgresMicros, totalMicros, rate, lowest, highest, ...figure }) => [
    name,
    cpuMicros.toFixed(1),
    postgresMicros.toFixed(1),
    totalMicros.toFixed(1),
    (base.micros / totalMicros).toFixed(2),
    name === serviceOneUser.name ? `≥ ${TARGET.toFixed(1)}` : "",
    name === serviceOneUser.name ? verdict(ratio >= TARGET) : "",
    rate.toFixed(0),
    `${lowest.toFixed(0)}–${highest.toFixed(0)}`,
    (rate / base.rate).toFixed(2),
    figure.p50Ms.toFixed(2),
    figure.p99Ms.toFixed(2),
    String(figure.errors),
  ]),
]);
process.exitCode = figures.some(({ errors }) => errors > 0) ? 1 : 0;
