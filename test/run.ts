/**
 * Runs the tests, lists the skipped ones with their reasons, and ends with a line that programs can read: `N passed, M failed`.
 * Fails if any test or test process fails, if no test passes, or if a test is skipped without a reason.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { SKIPPED } from "./support/requirements.ts";

/** Long enough for a busy machine; ends tests that hang. */
const TIMEOUT_MS = 120_000;
/** Each process uses about a gigabyte: the tests, PostgreSQL and Chromium. */
const MAX_PROCESSES = 6;

const args = Bun.argv.slice(2);
const requested = args.flatMap((arg) => (arg === "--slow" ? findSlowTests() : arg));
const slow = requested.some((arg) => arg.endsWith(".slow.ts"));
// Run two test files per core in parallel: each is idle more than half the time. Each process keeps its modules and its
// PostgreSQL. Slow tests use the whole machine, so they run one by one, and check promised times (see support/time-limit.ts).
const processes = Math.min(2 * availableParallelism(), MAX_PROCESSES);
const parallel = slow ? [] : [`--parallel=${processes}`, "--no-isolate"];

const folder = mkdtempSync(join(tmpdir(), "roster-tests-"));
const report = join(folder, "report.xml");
const options = ["test", `--timeout=${TIMEOUT_MS}`, "--reporter=junit", `--reporter-outfile=${report}`];
const build = [
  process.execPath,
  join(import.meta.dir, "../scripts/build.ts"),
  "executable",
  `--to=${folder}`,
];
if (!Bun.spawnSync(build, { stderr: "inherit" }).success) throw new Error("The executable cannot be built.");
const { exitCode } = Bun.spawnSync([process.execPath, ...options, ...parallel, ...requested], {
  stdout: "inherit",
  stderr: "inherit",
  env: {
    ...process.env,
    ROSTER_TEST_EXECUTABLE: join(folder, "roster"),
    ...(slow && { STRICT_TIMES: "1", ALL_FONTS: "1", ALL_ENGINES: "1" }),
  },
});
const xml = await Bun.file(report)
  .text()
  .catch(() => "");
rmSync(folder, { recursive: true });

const totals = /<testsuites [^>]*>/.exec(xml)?.[0] ?? "";
const total = (name: string) => Number(new RegExp(` ${name}="(\\d+)"`).exec(totals)?.[1] ?? 0);
const failures = total("failures");
// A crash or an error outside of the tests is a failure, too.
const failed = exitCode === 0 ? failures : Math.max(failures, 1);
const passed = total("tests") - failures - total("skipped");

// With a name pattern, the report lists all other tests as skipped.
const byName = requested.some((arg) => /^(-t|--test-name-pattern)/.test(arg));
const skipped = byName ? new Map<string, number>() : findSkipped(xml);
if (skipped.size > 0) console.log("\nSkipped:");
for (const [test, count] of skipped) console.log(`  ${test}${count > 1 ? ` (${count} tests)` : ""}`);
const unexplained = [...skipped.keys()].some((test) => !test.includes(SKIPPED));
if (unexplained) console.log("\nGive a reason for each skipped test: see test/support/requirements.ts.");
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 && passed > 0 && !unexplained ? 0 : 1);

/** The slow tests, and the tests that do more in this run: check promised times, use the machine's fonts or both engines. */
function findSlowTests(): string[] {
  const paths = [...new Bun.Glob("./test/**/*.{slow,test}.ts").scanSync()].sort();
  const doesMore = (path: string) =>
    /\/(time-limit|monitored-service|font-sets)\.ts"|\bonAnyEngine\(/.test(readFileSync(path, "utf8"));
  return paths.filter((path) => path.endsWith(".slow.ts") || doesMore(path));
}

/** Counts the skipped tests of a JUnit report, by test or by the group that is skipped as a whole. */
function findSkipped(xml: string): Map<string, number> {
  const found = new Map<string, number>();
  const tests = xml.matchAll(
    /<testcase name="([^"]*)" classname="([^"]*)"[^>]* file="([^"]*)"[^>]*>\s*<skipped/g,
  );
  for (const [, name = "", groups = "", file = ""] of tests) {
    // Hooks of a skipped group have no name.
    if (name === "(unnamed)") continue;
    const path = [file, ...decodeXml(groups).split(" > ").reverse(), decodeXml(name)].filter(
      (part) => part !== "",
    );
    const last = path.findIndex((part) => part.includes(SKIPPED));
    const key = path.slice(0, last < 0 ? path.length : last + 1).join(" > ");
    found.set(key, (found.get(key) ?? 0) + 1);
  }
  return found;
}

function decodeXml(text: string): string {
  const characters: Record<string, string> = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" };
  return text.replace(/&(\w+);/g, (entity, name) => characters[name] ?? entity);
}
