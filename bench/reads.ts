/** CPU time per read, compared with a server that returns a constant, and what SQLite itself takes of it. */
import { Database } from "bun:sqlite";
import { renderUser } from "../src/domain/users/user.ts";
import { startConstantBun, startConstantNode, startService } from "./support/child-server.ts";
import { startOwnCpuMeter } from "./support/cpu-meter.ts";
import { readOptions } from "./support/options.ts";
import { interleave } from "./support/rounds.ts";
import { type MeasuredLoad, measureLoad } from "./support/run-load.ts";
import { sampleUser } from "./support/sample-users.ts";
import { seededDatabase } from "./support/seeded-database.ts";
import { median } from "./support/statistics.ts";
import { print, verdict } from "./support/table.ts";

const WARM_UP_SECONDS = 1;
const STATEMENT_BATCHES = 100;
const BATCH_STATEMENTS = 200;

const { numbers, json } = readOptions({ users: 100_000, rounds: 7, seconds: 2, connections: 64 });
const { users, rounds, seconds, connections } = numbers;

interface Subject {
  readonly name: string;
  readonly server: { readonly url: string; readonly pid: number };
  readonly kind: string;
  /** The highest cost allowed, as a multiple of the constant on Bun. */
  readonly target?: number;
}

const sampleId = Math.ceil(users / 2);
const now = new Date().toISOString();
const { json: body } = renderUser(sampleId, { ...sampleUser(sampleId) }, 1, now, now);

await using bun = await startConstantBun(body);
await using node = await startConstantNode(body);
const database = await seededDatabase(users);
const alone = measureStatements(database);
await using service = await startService(database);

const constant: Subject = { name: "constant, Bun.serve", server: bun, kind: "/" };
const subjects: Subject[] = [
  constant,
  ...(node ? [{ name: "constant, node:http", server: node, kind: "/" }] : []),
  { name: "one user", server: service, kind: `one:${users}`, target: 1.9 },
  { name: "list of 20", server: service, kind: "/api/users?limit=20", target: 3.2 },
  {
    name: "list of 20, any page",
    server: service,
    kind: `/api/users?limit=20&after={${users}}.0.id`,
    target: 5,
  },
  { name: "list of 20 by name", server: service, kind: "/api/users?limit=20&sort=name" },
  { name: "one by email", server: service, kind: `email:${users}` },
];

const run = ({ server, kind }: Subject, time: number) =>
  measureLoad(server.pid, { url: server.url, kinds: [kind], connections, seconds: time });

for (const subject of subjects) await run(subject, WARM_UP_SECONDS);
const results = await interleave(subjects, rounds, (subject) => run(subject, seconds));

const medianOf = (subject: Subject, figure: (load: MeasuredLoad) => number) =>
  median((results.get(subject) ?? []).map(figure));
const base = medianOf(constant, ({ cpuMicros }) => cpuMicros);
const figures = subjects.map((subject) => {
  const costs = (results.get(subject) ?? []).map(({ cpuMicros }) => cpuMicros);
  const ratio = medianOf(subject, ({ cpuMicros }) => cpuMicros) / base;
  return {
    name: subject.name,
    alone: alone.get(subject.name),
    cpuMicros: median(costs),
    lowest: Math.min(...costs),
    highest: Math.max(...costs),
    ratio,
    target: subject.target,
    met: subject.target === undefined ? undefined : ratio <= subject.target,
    rate: medianOf(subject, ({ rate }) => rate),
    p50Ms: medianOf(subject, ({ p50Ms }) => p50Ms),
    p99Ms: medianOf(subject, ({ p99Ms }) => p99Ms),
    errors: (results.get(subject) ?? []).reduce((sum, { errors }) => sum + errors, 0),
  };
});

print(json, { users, rounds, seconds, connections, bodyBytes: Buffer.byteLength(body), figures }, [
  [
    ...["", "CPU µs/request", "low–high", "SQLite alone", "× constant", "target", ""],
    ...["requests/s", "p50 ms", "p99 ms", "errors"],
  ],
  ...figures.map(
    ({ name, alone, cpuMicros, lowest, highest, ratio, target, met, rate, p50Ms, p99Ms, errors }) => [
      name,
      cpuMicros.toFixed(1),
      `${lowest.toFixed(1)}–${highest.toFixed(1)}`,
      alone?.toFixed(1) ?? "",
      ratio.toFixed(2),
      target === undefined ? "" : `≤ ${target.toFixed(1)}`,
      met === undefined ? "" : verdict(met),
      rate.toFixed(0),
      p50Ms.toFixed(2),
      p99Ms.toFixed(2),
      String(errors),
    ],
  ),
]);
process.exitCode = figures.some(({ errors }) => errors > 0) ? 1 : 0;

/** The CPU time of bare statements for the same rows in this process, by the name of the subject: the lowest of many batches. */
function measureStatements(path: string): Map<string, number> {
  using connection = new Database(path, { readonly: true });
  const one = connection.query<unknown, [number]>("SELECT CAST(json AS BLOB) FROM users WHERE id = ?");
  const page = connection.query<unknown, [number]>(
    "SELECT CAST(json AS BLOB) FROM users WHERE id > ? ORDER BY id LIMIT 21",
  );
  const statements = { "one user": one, "list of 20, any page": page };
  const lowest = new Map<string, number>();
  for (let batch = 0; batch < STATEMENT_BATCHES; batch++)
    for (const [name, statement] of Object.entries(statements)) {
      const meter = startOwnCpuMeter();
      for (let i = 0; i < BATCH_STATEMENTS; i++) statement.values(Math.floor(Math.random() * users));
      lowest.set(name, Math.min(lowest.get(name) ?? Number.POSITIVE_INFINITY, meter() / BATCH_STATEMENTS));
    }
  return lowest;
}
