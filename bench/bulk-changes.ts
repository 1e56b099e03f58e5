/**
 * Users per second of bulk changes on both engines, each by one call of the client, compared with an import of the same
 * users, and the requests of another caller at the same time.
 */
import { createClient } from "../src/client/index.ts";
import { createSecret } from "../src/contract/keys/key-secret.ts";
import { BenchPostgres, createSchema } from "./support/bench-postgres.ts";
import { type ChildServer, startService } from "./support/child-server.ts";
import { importUsers } from "./support/import-users.ts";
import type { LoadReport } from "./support/load-report.ts";
import { readOptions } from "./support/options.ts";
import { readCpuSeconds } from "./support/process-usage.ts";
import { runLoad } from "./support/run-load.ts";
import { ScratchFolder } from "./support/scratch-folder.ts";
import { print, verdict } from "./support/table.ts";

/** The rate of a change, compared with the rate of an import. */
const TARGET = 0.5;
/** Users that the other caller reads. No change applies to them. */
const OTHER_USERS = 1000;
const { numbers, json } = readOptions({ users: 100_000, seconds: 3 });
const { users, seconds } = numbers;
const ids = Array.from({ length: users }, (_, index) => OTHER_USERS + index + 1);

/** The requests of another caller, one after the other. */
type Others = Readonly<Record<"reads" | "lists" | "creates", LoadReport>>;

interface Figure {
  readonly engine: string;
  readonly work: string;
  readonly rate: number;
  /** The rate, compared with the rate of the import. */
  readonly ratio: number;
  /** CPU time per user of the service's process. */
  readonly cpuMicros: number;
  readonly errors: number;
  readonly others: Others;
}

async function measure(engine: string, server: ChildServer, ownKey: string): Promise<Figure[]> {
  const { url, pid } = server;
  const roster = createClient({ baseUrl: url, apiKey: ownKey, timeout: 600_000 });
  const { key: otherKey } = await roster.keys.create({
    name: "other",
    scopes: ["users:read", "users:write"],
  });
  const importRange = (first: number, last: number) =>
    importUsers(url, "application/x-ndjson", first, last, ownKey);
  const runOthers = async (until: Promise<unknown>): Promise<Others> => {
    const headers = [`Authorization: Bearer ${otherKey}`];
    const run = (kind: string) =>
      runLoad({ url, kinds: [kind], connections: 1, seconds: 600, until, headers });
    const [reads, lists, creates] = await Promise.all([
      run(`one:${OTHER_USERS}`),
      run("/api/users?sort=name&limit=20"),
      run("create"),
    ]);
    return { reads, lists, creates };
  };
  const change = async (
    work: { patch: object } | { delete: true } | { addToGroup: number } | { removeFromGroup: number },
    target: { ids: number[] } | { filter: string } = { ids },
  ) => {
    const { changed } = await roster.users.bulk({ ...target, ...work }).summary();
    return { errors: Math.abs(users - changed) };
  };
  const works: [string, () => Promise<{ errors: number; seconds?: number }>][] = [
    ["import", () => importRange(OTHER_USERS + 1, OTHER_USERS + users)],
    ["patch of one field", () => change({ patch: { plan: "bulk" } })],
    ["the same by filter", () => change({ patch: { plan: "pro" } }, { filter: 'plan eq "bulk"' })],
    ["patch of the name", () => change({ patch: { name: "Renamed" } })],
    ["add to a group by ids", () => change({ addToGroup: 1 })],
    ["remove from it by filter", () => change({ removeFromGroup: 1 }, { filter: "groups eq 1" })],
    ["add to it by filter", () => change({ addToGroup: 1 }, { filter: 'plan eq "pro" and not (groups pr)' })],
    ["delete", () => change({ delete: true })],
  ];

  await importRange(1, OTHER_USERS);
  await fetch(`${url}/api/groups`, {
    method: "POST",
    headers: { authorization: `Bearer ${ownKey}`, "content-type": "application/json" },
    body: JSON.stringify({ name: "Everyone" }),
  });
  const alone = await runOthers(Bun.sleep(seconds * 1000));
  const figures: Figure[] = [
    { engine, work: "nothing", rate: 0, ratio: 0, cpuMicros: 0, errors: countErrors(alone), others: alone },
  ];
  let importRate: number | undefined;
  for (const [work, run] of works) {
    const [cpu, start] = [readCpuSeconds(pid), performance.now()];
    const running = run().then((report) => ({ seconds: (performance.now() - start) / 1000, ...report }));
    const others = await runOthers(running);
    const report = await running;
    const rate = users / report.seconds;
    importRate ??= rate;
    figures.push({
      engine,
      work,
      rate,
      ratio: rate / importRate,
      cpuMicros: ((readCpuSeconds(pid) - cpu) * 1e6) / users,
      errors: report.errors + countErrors(others),
      others,
    });
  }
  return figures;
}

function countErrors({ reads, lists, creates }: Others): number {
  return reads.errors + lists.errors + creates.errors;
}

const key = createSecret();
/** A busy machine must not end a change: chunks may wait longer than usual. */
const flags = ["--rate-limit=0", "--database-wait=60000"];
const start = (database: string) => startService(database, flags, { ROSTER_API_KEY: key });

async function measureSqlite(): Promise<Figure[]> {
  using folder = new ScratchFolder();
  await using server = await start(folder.file("roster.db"));
  return await measure("SQLite", server, key);
}

async function measurePostgres(): Promise<Figure[]> {
  await using postgres = await BenchPostgres.start();
  await createSchema(postgres.url());
  await using server = await start(postgres.url());
  return await measure("PostgreSQL", server, key);
}

const figures = [...(await measureSqlite()), ...(await measurePostgres())];
const describeLoad = ({ p50Ms, p99Ms, maxMs }: LoadReport) =>
  [p50Ms, p99Ms, maxMs].map((ms) => ms.toFixed(1)).join(" / ");
print(json, { users, figures, target: TARGET }, [
  [
    "",
    "",
    "users/s",
    "× import",
    "target",
    "",
    "CPU µs/user",
    "others: one user, p50 / p99 / max ms",
    "list of 20",
    "create",
    "errors",
  ],
  ...figures.map(({ engine, work, rate, ratio, cpuMicros, others, errors }) => {
    const isChange = work !== "import" && work !== "nothing";
    return [
      engine,
      work,
      ...(work === "nothing" ? ["", ""] : [rate.toFixed(0), ratio.toFixed(2)]),
      ...(isChange ? [`≥ ${TARGET}`, verdict(ratio >= TARGET)] : ["", ""]),
      work === "nothing" ? "" : cpuMicros.toFixed(1),
      describeLoad(others.reads),
      describeLoad(others.lists),
      describeLoad(others.creates),
      String(errors),
    ];
  }),
]);
process.exitCode = figures.some(({ errors }) => errors > 0) ? 1 : 0;
