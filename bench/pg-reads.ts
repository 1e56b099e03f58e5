/** Users per second from PostgreSQL through the service, compared with Bun's driver alone. */
import { BareDriver, type DriverReport } from "./baselines/bare-driver-process.ts";
import { startFilledPostgres } from "./support/bench-postgres.ts";
import { startService } from "./support/child-server.ts";
import { readOptions } from "./support/options.ts";
import { interleave } from "./support/rounds.ts";
import { measureLoad } from "./support/run-load.ts";
import { median } from "./support/statistics.ts";
import { print, verdict } from "./support/table.ts";

const TARGET = 0.6;
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
    p50Ms: median(loads.map(({ p50Ms }) => p50Ms)),
    p99Ms: median(loads.map(({ p99Ms }) => p99Ms)),
    errors: loads.reduce((sum, { errors }) => sum + errors, 0),
  };
});
const rateOf = ({ name }: Subject) => figures.find((figure) => figure.name === name)?.rate ?? Number.NaN;
const base = rateOf(bare);
const ratio = rateOf(serviceOneUser) / base;

print(json, { users, rounds, seconds, connections, figures, ratio, target: TARGET, met: ratio >= TARGET }, [
  [
    ...["", "users/s", "low–high", "× driver", "target", ""],
    ...["CPU µs/request", "PostgreSQL's", "p50 ms", "p99 ms", "errors"],
  ],
  ...figures.map(({ name, rate, lowest, highest, cpuMicros, postgresMicros, p50Ms, p99Ms, errors }) => [
    name,
    rate.toFixed(0),
    `${lowest.toFixed(0)}–${highest.toFixed(0)}`,
    (rate / base).toFixed(2),
    name === serviceOneUser.name ? `≥ ${TARGET.toFixed(1)}` : "",
    name === serviceOneUser.name ? verdict(ratio >= TARGET) : "",
    cpuMicros.toFixed(1),
    postgresMicros.toFixed(1),
    p50Ms.toFixed(2),
    p99Ms.toFixed(2),
    String(errors),
  ]),
]);
process.exitCode = figures.some(({ errors }) => errors > 0) ? 1 : 0;
