/** Users per second of bulk changes on both engines, compared with an import of the same users, and the effect on reads. */
import { BenchPostgres, createSchema } from "./support/bench-postgres.ts";
import { type ChildServer, startService } from "./support/child-server.ts";
import { importUsers } from "./support/import-users.ts";
import { readOptions } from "./support/options.ts";
import { readCpuSeconds } from "./support/process-usage.ts";
import { runLoad } from "./support/run-load.ts";
import { ScratchFolder } from "./support/scratch-folder.ts";
import { print, verdict } from "./support/table.ts";

/** The rate of a change, compared with the rate of an import. */
const TARGET = 0.5;
const { numbers, json } = readOptions({ users: 100_000, seconds: 2 });
const { users, seconds } = numbers;

interface Figure {
  readonly engine: string;
  readonly work: string;
  readonly rate: number;
  /** The rate of the import, for comparison. */
  readonly ratio: number;
  /** CPU time per user of the service's process. */
  readonly cpuMicros: number;
  readonly errors: number;
  /** Reads of one user at the same time, one after the other. */
  readonly readP50Ms: number;
  readonly readP99Ms: number;
}

const ids = Array.from({ length: users }, (_, index) => index + 1);

/** Returns the number of users that were not changed. */
async function changeUsers(url: string, change: object): Promise<number> {
  const response = await fetch(`${url}/api/users/bulk`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ ids, ...change }),
  });
  const lines = (await response.text()).split("\n").slice(0, -1);
  return users - lines.filter((line) => /"status":20[04]\}$/.test(line)).length;
}

async function measure(engine: string, server: ChildServer): Promise<Figure[]> {
  const { url, pid } = server;
  const works: [string, () => Promise<number>][] = [
    ["import", async () => (await importUsers(url, "application/x-ndjson", 1, users)).errors],
    ["patch of one field", () => changeUsers(url, { patch: { plan: "pro" } })],
    ["patch of the name", () => changeUsers(url, { patch: { name: "Renamed" } })],
    ["delete", () => changeUsers(url, { delete: true })],
  ];
  const figures: Figure[] = [];
  for (const [work, run] of works) {
    const [cpu, start] = [readCpuSeconds(pid), performance.now()];
    const running = run().then((errors) => ({ errors, elapsed: (performance.now() - start) / 1000 }));
    const reading = runLoad({ url, kinds: ["/healthz"], connections: 1, seconds });
    const { errors, elapsed } = await running;
    const cpuMicros = ((readCpuSeconds(pid) - cpu) * 1e6) / users;
    const { p50Ms, p99Ms, errors: readErrors } = await reading;
    const rate = users / elapsed;
    figures.push({
      engine,
      work,
      rate,
      ratio: rate / (figures[0]?.rate ?? rate),
      cpuMicros,
      errors: errors + readErrors,
      readP50Ms: p50Ms,
      readP99Ms: p99Ms,
    });
  }
  return figures;
}

async function measureSqlite(): Promise<Figure[]> {
  using folder = new ScratchFolder();
  await using server = await startService(folder.file("roster.db"));
  return await measure("SQLite", server);
}

async function measurePostgres(): Promise<Figure[]> {
  await using postgres = await BenchPostgres.start();
  await createSchema(postgres.url());
  await using server = await startService(postgres.url());
  return await measure("PostgreSQL", server);
}

const figures = [...(await measureSqlite()), ...(await measurePostgres())];
print(json, { users, figures, target: TARGET }, [
  ["", "", "users/s", "× import", "target", "", "CPU µs/user", "other p50 ms", "p99 ms", "errors"],
  ...figures.map(({ engine, work, rate, ratio, cpuMicros, readP50Ms, readP99Ms, errors }) => [
    engine,
    work,
    rate.toFixed(0),
    ratio.toFixed(2),
    work === "import" ? "" : `≥ ${TARGET}`,
    work === "import" ? "" : verdict(ratio >= TARGET),
    cpuMicros.toFixed(1),
    readP50Ms.toFixed(2),
    readP99Ms.toFixed(2),
    String(errors),
  ]),
]);
process.exitCode = figures.some(({ errors }) => errors > 0) ? 1 : 0;
