/**
 * Prepares what all test processes share, and runs tests. The name of a test file says which command runs it:
 *
 *   *.test.ts   npm test
 *   *.full.ts   npm run test:all, together with *.test.ts
 *   *.slow.ts   npm run test:slow, one file at a time
 *
 * `npm run test:all` repeats failed tests once. A test that passes only then does not fail the run, and is listed as flaky.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { buildThreads } from "./support/built-threads.ts";
import { installIntegrations } from "./support/install-packages.ts";
import { root } from "./support/paths.ts";
import { prepareServer } from "./support/postgres/fresh-database.ts";
import { createInitialData, startPostgres } from "./support/postgres/server.ts";
import { runTests } from "./support/run-tests.ts";

/** Long enough for a busy machine; ends tests that hang. */
const TIMEOUT_MS = 120_000;
/** Each process uses about a gigabyte: the tests and Chromium. */
const MAX_PROCESSES = 6;

const tiers = { "--all": ["test", "full"], "--slow": ["slow"] } as const;

const args = Bun.argv.slice(2);
const tier = args.find((arg): arg is keyof typeof tiers => arg in tiers);
const requested = args.filter((arg) => arg !== tier);
const hasPaths = requested.some(
  (arg, index) => !arg.startsWith("-") && !/^(-t|--test-name-pattern)$/.test(requested[index - 1] ?? ""),
);
const files = hasPaths ? [] : findTests(tier === undefined ? ["test"] : tiers[tier]);
const isSlow = tier === "--slow" || requested.some((arg) => arg.endsWith(".slow.ts"));
// Run two test files per core in parallel: each is idle more than half the time. Each process keeps its modules. Slow tests use
// the whole machine, so they run one by one.
const processes = Math.min(2 * availableParallelism(), MAX_PROCESSES);
const parallel = isSlow ? [] : [`--parallel=${processes}`, "--no-isolate"];

installIntegrations([...requested, ...files]);
const folder = mkdtempSync(join(tmpdir(), "roster-tests-"));
const environment = await prepare();
const hasPassed = await runTests({
  options: [
    `--timeout=${TIMEOUT_MS}`,
    `--preload=${join(import.meta.dir, "support/built-threads.ts")}`,
    ...parallel,
  ],
  selection: [...requested, ...files],
  env: { ...process.env, ...environment.variables },
  repeats: tier === "--all",
  report: join(root, "dist/test-report.xml"),
});
await environment.stop();
rmSync(folder, { recursive: true });
process.exit(hasPassed ? 0 : 1);

/** Builds and starts what all test processes share. */
async function prepare() {
  const threads = join(folder, "threads");
  const postgresData = join(folder, "postgres");
  const executable = join(folder, "roster");
  const isExecutableUsed = tier !== undefined || isSlow;
  if (isExecutableUsed) {
    const build = [process.execPath, join(root, "scripts/build.ts"), "executable", `--to=${folder}`];
    if (!Bun.spawnSync(build, { stderr: "inherit" }).success)
      throw new Error("The executable cannot be built.");
  }
  await buildThreads(threads);
  await createInitialData(postgresData);
  process.env.ROSTER_TEST_POSTGRES_DATA = postgresData;
  const ownServer = process.env.ROSTER_TEST_POSTGRES;
  const server = ownServer === undefined ? await startPostgres() : undefined;
  if (server) await prepareServer(server);
  return {
    variables: {
      ROSTER_TEST_THREADS: threads,
      ROSTER_TEST_POSTGRES_DATA: postgresData,
      ...(isExecutableUsed && { ROSTER_TEST_EXECUTABLE: executable }),
      ...(server && { ROSTER_TEST_POSTGRES: server.url(), ROSTER_TEST_TEMPLATE: "1" }),
      ...(isSlow && { ALL_FONTS: "1", ALL_ENGINES: "1" }),
    },
    stop: async () => server?.destroy(),
  };
}

/** The test files with these suffixes. Slow runs also repeat tests that do more then: use the machine's fonts or both engines. */
function findTests(suffixes: readonly string[]): string[] {
  const paths = [...new Bun.Glob("./test/**/*.{test,full,slow}.ts").scanSync(root)]
    .filter((path) => !path.includes("/node_modules/"))
    .sort();
  const doesMore = (path: string) =>
    suffixes.includes("slow") &&
    /\/font-sets\.ts"|\bonAnyEngine\(/.test(readFileSync(join(root, path), "utf8"));
  return paths.filter((path) => suffixes.some((suffix) => path.endsWith(`.${suffix}.ts`)) || doesMore(path));
}
