/**
 * Runs the tests, lists the skipped ones with their reasons, and ends with a line that programs can read: `N passed, M failed`.
 * Fails if any test or test process fails, if no test passes, or if a test is skipped without a reason.
 *
 * If a few files fail in a run of all tests, they run once more, alone: many processes share the machine, and a test can wait
 * for its browser longer than its limit. The output names the tests that passed only then.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { buildThreads } from "./support/built-threads.ts";
import { createInitialData } from "./support/postgres/server.ts";
import { SKIPPED } from "./support/requirements.ts";
import { readReport } from "./support/test-report.ts";

/** Long enough for a busy machine; ends tests that hang. */
const TIMEOUT_MS = 120_000;
/** Each process uses about a gigabyte: the tests, PostgreSQL and Chromium. */
const MAX_PROCESSES = 6;
/** If more files fail, something is broken. */
const MAX_REPEATED_FILES = 3;

const args = Bun.argv.slice(2);
const requested = args.flatMap((arg) => (arg === "--slow" ? findSlowTests() : arg));
const slow = requested.some((arg) => arg.endsWith(".slow.ts"));
// Run two test files per core in parallel: each is idle more than half the time. Each process keeps its modules and its
// PostgreSQL. Slow tests use the whole machine, so they run one by one, and check promised times (see support/time-limit.ts).
const processes = Math.min(2 * availableParallelism(), MAX_PROCESSES);
const parallel = slow ? [] : [`--parallel=${processes}`, "--no-isolate"];

const folder = mkdtempSync(join(tmpdir(), "roster-tests-"));
const build = [
  process.execPath,
  join(import.meta.dir, "../scripts/build.ts"),
  "executable",
  `--to=${folder}`,
];
if (!Bun.spawnSync(build, { stderr: "inherit" }).success) throw new Error("The executable cannot be built.");
const threads = join(folder, "threads");
await buildThreads(threads);
const postgresData = join(folder, "postgres");
await createInitialData(postgresData);
const first = await runTests([...parallel, ...requested]);
const files = [...new Set(first.failedTests.map(({ file }) => file))];
const isComplete = first.failedTests.length === first.failed;
const canRepeat =
  requested.length === 0 && isComplete && files.length > 0 && files.length <= MAX_REPEATED_FILES;
const last = canRepeat ? await runTests(files.map((file) => `./${file}`)) : first;
rmSync(folder, { recursive: true });

// A crash or an error outside of the tests is a failure, too.
const failed = last.exitCode === 0 ? last.failed : Math.max(last.failed, 1);
const passed = first.passed + (canRepeat ? Math.max(0, first.failed - last.failed) : 0);

// With a name pattern, the report lists all other tests as skipped.
const byName = requested.some((arg) => /^(-t|--test-name-pattern)/.test(arg));
const skipped = byName ? new Map<string, number>() : first.skipped;
if (skipped.size > 0) console.log("\nSkipped:");
for (const [test, count] of skipped) console.log(`  ${test}${count > 1 ? ` (${count} tests)` : ""}`);
const unexplained = [...skipped.keys()].some((test) => !test.includes(SKIPPED));
if (unexplained) console.log("\nGive a reason for each skipped test: see test/support/requirements.ts.");
const failedAgain = new Set(last.failedTests.map(({ name }) => name));
const hasReport = last.passed + last.failed > 0;
const repeated = canRepeat && hasReport ? first.failedTests.filter(({ name }) => !failedAgain.has(name)) : [];
if (repeated.length > 0) console.log("\nFailed at first, and passed when their files ran alone:");
for (const { file, name } of repeated) console.log(`  ${file} > ${name}`);
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 && passed > 0 && !unexplained ? 0 : 1);

async function runTests(options: readonly string[]) {
  const report = join(folder, "report.xml");
  rmSync(report, { force: true });
  const reporter = [`--timeout=${TIMEOUT_MS}`, "--reporter=junit", `--reporter-outfile=${report}`];
  const preload = `--preload=${join(import.meta.dir, "support/built-threads.ts")}`;
  const { exitCode } = Bun.spawnSync([process.execPath, "test", preload, ...reporter, ...options], {
    stdout: "inherit",
    stderr: "inherit",
    env: {
      ...process.env,
      ROSTER_TEST_EXECUTABLE: join(folder, "roster"),
      ROSTER_TEST_THREADS: threads,
      ROSTER_TEST_POSTGRES_DATA: postgresData,
      ...(slow && { STRICT_TIMES: "1", ALL_FONTS: "1", ALL_ENGINES: "1" }),
    },
  });
  const xml = await Bun.file(report)
    .text()
    .catch(() => "");
  return { exitCode, ...readReport(xml, SKIPPED) };
}

/** The slow tests, and the tests that do more in this run: check promised times, use the machine's fonts or both engines. */
function findSlowTests(): string[] {
  const paths = [...new Bun.Glob("./test/**/*.{slow,test}.ts").scanSync()].sort();
  const doesMore = (path: string) =>
    /\/(time-limit|monitored-service|font-sets)\.ts"|\bonAnyEngine\(/.test(readFileSync(path, "utf8"));
  return paths.filter((path) => path.endsWith(".slow.ts") || doesMore(path));
}
