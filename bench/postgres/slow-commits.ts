/**
 * Creates per second of several nodes on one PostgreSQL whose commits take long, as with a synchronous standby: `--base FOLDER` also
 * measures another checkout, in turns.
 */
import { resolve } from "node:path";
import { BenchPostgres } from "../support/bench-postgres.ts";
import { type ChildServer, startServiceOf } from "../support/child-server.ts";
import { readOptionsWithTexts } from "../support/options.ts";
import { readTreeCpuSeconds } from "../support/process-usage.ts";
import { interleave } from "../support/rounds.ts";
import { runLoad } from "../support/run-load.ts";
import { median, percentile } from "../support/statistics.ts";
import { print, verdict } from "../support/table.ts";
import { measureEventDelays } from "./event-delays.ts";

const { numbers, texts, json } = readOptionsWithTexts(
  { rounds: 3, seconds: 4, connections: 16, warmUp: 1 },
  { base: "", delays: "0,5,20", nodes: "1,2,4" },
);
const { rounds, seconds, connections, warmUp } = numbers;
/** What one node reaches at least if all its callers share each commit, which takes a little longer than its delay. */
const ONE_NODE = { delayMs: 20, creates: (0.7 * connections) / 0.025 };
const TARGETS = { growth: 3, cpu: 1.1, eventsMs: 200 } as const;

interface Subject {
  readonly checkout: string;
  readonly delayMs: number;
  readonly nodes: number;
}

const here = resolve(import.meta.dir, "../..");
const base = texts.base === "" ? undefined : resolve(process.env.INIT_CWD ?? "", texts.base);
const list = (text: string) => text.split(",").map(Number);
const subjects = list(texts.delays).flatMap((delayMs) =>
  list(texts.nodes).flatMap((nodes) =>
    (base === undefined ? [here] : [base, here]).map((checkout): Subject => ({ checkout, delayMs, nodes })),
  ),
);

await using postgres = await BenchPostgres.start();

/** Every transaction that writes users or events waits once, just before its commit, with all its locks. */
async function delayCommits(database: string, delayMs: number): Promise<void> {
  if (delayMs === 0) return;
  const statements = [
    `CREATE FUNCTION public.delay_commit() RETURNS trigger LANGUAGE plpgsql AS $$
     BEGIN
       IF coalesce(current_setting('bench.delayed', true), '') = '' THEN
         PERFORM set_config('bench.delayed', 'yes', true);
         PERFORM pg_sleep(${delayMs / 1000});
       END IF;
       RETURN NULL;
     END $$`,
    ...["UPDATE ON roster.user_counts", "INSERT ON roster.events"].map(
      (change, index) =>
        `CREATE CONSTRAINT TRIGGER delay_commit_${index} AFTER ${change} DEFERRABLE INITIALLY DEFERRED
         FOR EACH ROW EXECUTE FUNCTION public.delay_commit()`,
    ),
  ];
  for (const statement of statements) await postgres.query(statement, database);
}

async function run({ checkout, delayMs, nodes }: Subject) {
  const database = "roster_round";
  await postgres.query(`CREATE DATABASE ${database}`);
  const services: ChildServer[] = [];
  try {
    for (let node = 0; node < nodes; node++)
      services.push(await startServiceOf(checkout, postgres.url(database), []));
    await delayCommits(database, delayMs);
    await postgres.query("CHECKPOINT");
    const load = (time: number) =>
      Promise.all(services.map(({ url }) => runLoad({ url, kinds: ["create"], connections, seconds: time })));
    await load(warmUp);
    const nodesCpu = () => services.reduce((sum, { pid }) => sum + readTreeCpuSeconds(pid), 0);
    const postgresCpu = () => readTreeCpuSeconds(postgres.server.pid);
    const commitsBefore = await readCommits(services);
    const before = { nodes: nodesCpu(), postgres: postgresCpu(), wal: await postgres.walBytes() };
    const loads = load(seconds);
    const delays = await measureEventDelays(services, loads);
    const reports = await loads;
    const after = await readCommits(services);
    const requests = reports.reduce((sum, report) => sum + report.requests, delays.length);
    return {
      errors: reports.reduce((sum, { errors }) => sum + errors, 0),
      rate: requests / seconds,
      writesPerCommit: (after.writes - commitsBefore.writes) / (after.commits - commitsBefore.commits),
      nodeMicros: ((nodesCpu() - before.nodes) * 1e6) / requests,
      postgresMicros: ((postgresCpu() - before.postgres) * 1e6) / requests,
      walBytes: ((await postgres.walBytes()) - before.wal) / requests,
      delays,
    };
  } finally {
    for (const service of services) await service[Symbol.asyncDispose]();
    await postgres.query(`DROP DATABASE ${database} WITH (FORCE)`);
  }
}

async function readCommits(services: readonly ChildServer[]): Promise<{ writes: number; commits: number }> {
  const total = { writes: 0, commits: 0 };
  for (const { url } of services) {
    const metrics = await (await fetch(`${url}/metrics`)).text();
    const read = (name: string) => Number(new RegExp(`^${name} (\\S+)`, "m").exec(metrics)?.[1]);
    total.writes += read("roster_commit_writes_sum");
    total.commits += read("roster_commit_writes_count");
  }
  return total;
}

const results = await interleave(subjects, rounds, run);
const figures = [...results].map(([{ checkout, delayMs, nodes }, all]) => ({
  checkout: checkout === here ? "this" : "base",
  delayMs,
  nodes,
  creates: median(all.map(({ rate }) => rate)),
  writesPerCommit: median(all.map(({ writesPerCommit }) => writesPerCommit)),
  nodeMicros: median(all.map(({ nodeMicros }) => nodeMicros)),
  postgresMicros: median(all.map(({ postgresMicros }) => postgresMicros)),
  cpuMicros: median(all.map(({ nodeMicros, postgresMicros }) => nodeMicros + postgresMicros)),
  walBytes: median(all.map(({ walBytes }) => walBytes)),
  // One round has too few events for this.
  eventsP99: percentile(
    all.flatMap(({ delays }) => delays),
    0.99,
  ),
  errors: all.reduce((sum, { errors }) => sum + errors, 0),
}));
const find = (checkout: string, delayMs: number, nodes: number) =>
  figures.find((each) => each.checkout === checkout && each.delayMs === delayMs && each.nodes === nodes);
const [one, four] = [find("this", ONE_NODE.delayMs, 1), find("this", ONE_NODE.delayMs, 4)];
const targets = [
  one && {
    name: `one node with ${ONE_NODE.delayMs} ms, creates/s`,
    value: one.creates,
    met: one.creates >= ONE_NODE.creates,
    target: `≥ ${ONE_NODE.creates.toFixed(0)}`,
  },
  one &&
    four && {
      name: `four nodes with ${ONE_NODE.delayMs} ms, compared with one`,
      value: four.creates / one.creates,
      met: four.creates >= TARGETS.growth * one.creates,
      target: `≥ ${TARGETS.growth}`,
    },
  ...list(texts.nodes).map((nodes) => {
    const [changed, before] = [find("this", 0, nodes), find("base", 0, nodes)];
    if (!changed || !before) return undefined;
    const ratio = changed.cpuMicros / before.cpuMicros;
    const name = `CPU per create on ${nodes} nodes without delay, compared with the base`;
    return { name, value: ratio, met: ratio <= TARGETS.cpu, target: `≤ ${TARGETS.cpu}` };
  }),
  ...figures
    .filter(({ checkout }) => checkout === "this")
    .map(({ delayMs, nodes, eventsP99 }) => ({
      name: `events with ${delayMs} ms and ${nodes} nodes, p99 ms`,
      value: eventsP99,
      met: eventsP99 <= TARGETS.eventsMs,
      target: `≤ ${TARGETS.eventsMs}`,
    })),
].flatMap((target) => target ?? []);

print(json, { rounds, seconds, connections, figures, targets }, [
  [
    ...[
      "commit",
      "nodes",
      "checkout",
      "creates/s",
      "writes/commit",
      "CPU µs/create",
      "nodes'",
      "PostgreSQL's",
    ],
    ...["WAL bytes/create", "events p99 ms", "errors"],
  ],
  ...figures.map((each) => [
    `${each.delayMs} ms`,
    String(each.nodes),
    each.checkout,
    each.creates.toFixed(0),
    each.writesPerCommit.toFixed(1),
    each.cpuMicros.toFixed(0),
    each.nodeMicros.toFixed(0),
    each.postgresMicros.toFixed(0),
    each.walBytes.toFixed(0),
    each.eventsP99.toFixed(0),
    String(each.errors),
  ]),
]);
if (!json) {
  console.log();
  print(false, {}, [
    ["target", "", "", ""],
    ...targets.map(({ name, value, target, met }) => [name, value.toFixed(2), target, verdict(met)]),
  ]);
}
process.exit(figures.some(({ errors }) => errors > 0) ? 1 : 0);
