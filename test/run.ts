/**
 * Runs tests, lists the skipped ones with their reasons, and ends with a line that programs can read: `N passed, M failed`. Fails
 * if any test or test process fails, if no test passes, or if a test is skipped without a reason. The name of a test file says
 * which command runs it:
 *
 *   *.test.ts   npm test
 *   *.full.ts   npm run test:all, together with *.test.ts
 *   *.slow.ts   npm run test:slow, one file at a time
 *
 * `npm run test:all` repeats failed tests once. A test that passes only then does not fail the run, and is listed as flaky.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { buildThreads } from "./support/built-threads.ts";
import { installIntegrations } from "./support/install-packages.ts";
import { root } from "./support/paths.ts";
import { prepareServer } from "./support/postgres/fresh-database.ts";
import { createInitialData, startPostgres } from "./support/postgres/server.ts";
import { SKIPPED } from "./support/requirements.ts";
import { type FailedTest, markFlaky, readReport } from "./support/test-report.ts";

/** Long enough for a busy machine; ends tests that hang. */
const TIMEOUT_MS = 120_000;
/** Each process uses about a gigabyte: the tests and Chromium. */
const MAX_PROCESSES = 6;
/** If more tests fail, something is broken. */
const MAX_REPEATED = 10;
/** The results of the last run in JUnit's format, for CI. */
const REPORT = join(root, "dist/test-report.xml");

const tiers = { "--all": ["test", "full"], "--slow": ["slow"] } as const;

const args = Bun.argv.slice(2);
const tier = args.find((arg): arg is keyof typeof tiers => arg in tiers);
const requested = args.filter((arg) => arg !== tier);
const hasPaths = requested.some((arg) => !arg.startsWith("-"));
const files = hasPaths ? [] : findTests(tier === undefined ? ["test"] : tiers[tier]);
const isSlow = tier === "--slow" || requested.some((arg) => arg.endsWith(".slow.ts"));
// Run two test files per core in parallel: each is idle more than half the time. Each process keeps its modules. Slow tests use
// the whole machine, so they run one by one.
const processes = Math.min(2 * availableParallelism(), MAX_PROCESSES);
const parallel = isSlow ? [] : [`--parallel=${processes}`, "--no-isolate"];

installIntegrations([...requested, ...files]);
const folder = mkdtempSync(join(tmpdir(), "roster-tests-"));
const environment = await prepare();
const first = await runTests([...parallel, ...requested, ...files]);
const none = { passed: 0, flaky: [] };
const canRepeat =
  tier === "--all" && first.failedTests.length === first.failed && first.failed <= MAX_REPEATED;
const repeated = canRepeat ? await repeat(first.failedTests) : { ...none, failed: first.failed };
await environment.stop();
rmSync(folder, { recursive: true });

const passed = first.passed + repeated.passed;
// A crash or an error outside of the tests is a failure, too.
const hasCrashed = first.exitCode !== 0 && first.failed === 0;
const failed = hasCrashed ? 1 : repeated.failed;
mkdirSync(join(root, "dist"), { recursive: true });
await Bun.write(REPORT, markFlaky(first.xml, repeated.flaky));

// With a name pattern, the report lists all other tests as skipped.
const byName = requested.some((arg) => /^(-t|--test-name-pattern)/.test(arg));
const skipped = byName ? new Map<string, number>() : first.skipped;
if (skipped.size > 0) console.log("\nSkipped:");
for (const [test, count] of skipped) console.log(`  ${test}${count > 1 ? ` (${count} tests)` : ""}`);
const unexplained = [...skipped.keys()].some((test) => !test.includes(SKIPPED));
if (unexplained) console.log("\nGive a reason for each skipped test: see test/support/requirements.ts.");
for (const { file, path } of repeated.flaky) console.log(`flaky: ${[file, ...path].join(" > ")}`);
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 && passed > 0 && !unexplained ? 0 : 1);

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

async function runTests(options: readonly string[]) {
  const report = join(folder, "report.xml");
  rmSync(report, { force: true });
  const reporter = [`--timeout=${TIMEOUT_MS}`, "--reporter=junit", `--reporter-outfile=${report}`];
  const preload = `--preload=${join(import.meta.dir, "support/built-threads.ts")}`;
  const { exitCode } = Bun.spawnSync([process.execPath, "test", preload, ...reporter, ...options], {
    stdout: "inherit",
    stderr: "inherit",
    env: { ...process.env, ...environment.variables },
  });
  const xml = await Bun.file(report)
    .text()
    .catch(() => "");
  return { exitCode, xml, ...readReport(xml, SKIPPED) };
}

/** Runs failed tests once more, and nothing else. A failed hook repeats its group. */
async function repeat(tests: readonly FailedTest[]) {
  const total = { passed: 0, failed: 0, flaky: [] as FailedTest[] };
  for (const file of new Set(tests.map((test) => test.file))) {
    const failedTests = tests.filter((test) => test.file === file);
    const patterns = failedTests.map(
      ({ path, isHook }) => `^${escapePattern(path.join(" "))}${isHook ? "" : "$"}`,
    );
    const report = await runTests([`./${file}`, "--test-name-pattern", patterns.join("|")]);
    const hasCrashed = report.exitCode !== 0 && report.failed === 0;
    const failedAgain = new Set(report.failedTests.map(({ path }) => path.join(" ")));
    total.passed += report.passed;
    total.failed += hasCrashed ? failedTests.length : report.failed;
    if (!hasCrashed) total.flaky.push(...failedTests.filter(({ path }) => !failedAgain.has(path.join(" "))));
  }
  return total;
}

const escapePattern = (text: string) => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");

/** The test files with these suffixes. Slow runs also repeat tests that do more then: use the machine's fonts or both engines. */
function findTests(suffixes: readonly string[]): string[] {
  const paths = [...new Bun.Glob("./test/**/*.{test,full,slow}.ts").scanSync(root)]
    .filter((path) => !path.includes("/node_modules/"))
    .sort();
  const doesMore = (path: string) =>
    suffixes.includes("slow") &&
    /\/(monitored-service|font-sets)\.ts"|\bonAnyEngine\(/.test(readFileSync(join(root, path), "utf8"));
  return paths.filter((path) => suffixes.some((suffix) => path.endsWith(`.${suffix}.ts`)) || doesMore(path));
}
