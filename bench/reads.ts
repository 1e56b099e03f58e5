/** CPU time per read, compared with a server that returns a constant. */
import { renderUser } from "../src/domain/users/user.ts";
import { startConstantBun, startConstantNode, startService } from "./support/child-server.ts";
import { readOptions } from "./support/options.ts";
import { interleave } from "./support/rounds.ts";
import { type MeasuredLoad, measureLoad } from "./support/run-load.ts";
import { sampleUser } from "./support/sample-users.ts";
import { seededDatabase } from "./support/seeded-database.ts";
import { median } from "./support/statistics.ts";
import { print, verdict } from "./support/table.ts";

const WARM_UP_SECONDS = 1;

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
await using service = await startService(await seededDatabase(users));

const constant: Subject = { name: "constant, Bun.serve", server: bun, kind: "/" };
const subjects: Subject[] = [
  constant,
  ...(node ? [{ name: "constant, node:http", server: node, kind: "/" }] : []),
  { name: "one user", server: service, kind: `one:${users}`, target: 1.8 },
  { name: "list of 20", server: service, kind: "/api/users?limit=20", target: 3.2 },
  { name: "list of 20, any page", server: service, kind: `/api/users?limit=20&after={${users}}.0.id` },
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
  ["", "CPU µs/request", "low–high", "× constant", "target", "", "requests/s", "p50 ms", "p99 ms", "errors"],
  ...figures.map(({ name, cpuMicros, lowest, highest, ratio, target, met, rate, p50Ms, p99Ms, errors }) => [
    name,
    cpuMicros.toFixed(1),
    `${lowest.toFixed(1)}–${highest.toFixed(1)}`,
    ratio.toFixed(2),
    target === undefined ? "" : `≤ ${target.toFixed(1)}`,
    met === undefined ? "" : verdict(met),
    rate.toFixed(0),
    p50Ms.toFixed(2),
    p99Ms.toFixed(2),
    String(errors),
  ]),
]);
process.exitCode = figures.some(({ errors }) => errors > 0) ? 1 : 0;
