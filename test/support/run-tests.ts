import { mkdirSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { SKIPPED } from "./requirements.ts";
import { countSkipped, markFlaky, type ReportedTest, readReport } from "./test-report.ts";

/** If more tests fail, something is broken. */
const MAX_REPEATED = 10;

export interface TestRun {
  /** The options of every `bun test`. */
  readonly options: readonly string[];
  /** The files and names of the tests to run. */
  readonly selection: readonly string[];
  readonly env: Record<string, string | undefined>;
  /** Whether failed tests run once more. */
  readonly repeats: boolean;
  /** The file for the results in JUnit's format. */
  readonly report: string;
}

/**
 * Runs tests, lists the skipped ones with their reasons and the flaky ones, and ends with a line that programs can read:
 * `N passed, M failed`. Returns whether the run has succeeded: every test passed, at once or repeated, at least one test passed,
 * no test process crashed, and each skipped test has a reason.
 */
export async function runTests(run: TestRun): Promise<boolean> {
  mkdirSync(dirname(run.report), { recursive: true });
  const { tests, failed, passed, exitCode, isComplete, xml } = await runOnce(run, run.selection);
  const canRepeat = run.repeats && isComplete && failed.length <= MAX_REPEATED;
  const flaky = canRepeat ? await findFlaky(run, failed) : [];
  await Bun.write(run.report, markFlaky(xml, flaky));
  // A crash or an error outside of the tests is a failure, too.
  const remaining = Math.max(failed.length - flaky.length, exitCode !== 0 && flaky.length === 0 ? 1 : 0);

  // With a name pattern, the report lists all other tests as skipped.
  const byName = run.selection.some((arg) => /^(-t|--test-name-pattern)/.test(arg));
  const skipped = byName ? new Map<string, number>() : countSkipped(tests, SKIPPED);
  if (skipped.size > 0) console.log("\nSkipped:");
  for (const [test, count] of skipped) console.log(`  ${test}${count > 1 ? ` (${count} tests)` : ""}`);
  const unexplained = [...skipped.keys()].some((test) => !test.includes(SKIPPED));
  if (unexplained) console.log("\nGive a reason for each skipped test: see test/support/requirements.ts.");
  for (const { file, path } of flaky) console.log(`flaky: ${[file, ...path].join(" > ")}`);
  console.log(`${passed.length + flaky.length} passed, ${remaining} failed`);
  return remaining === 0 && passed.length + flaky.length > 0 && !unexplained;
}

/** Runs each of these tests once more, in a process of its own, and returns those that pass. A failed hook repeats its group. */
async function findFlaky(run: TestRun, failed: readonly ReportedTest[]): Promise<ReportedTest[]> {
  const flaky: ReportedTest[] = [];
  for (const test of failed) {
    const name = `^${escapePattern(test.path.join(" "))}${test.isHook ? "" : "$"}`;
    const { exitCode, passed } = await runOnce(run, [`./${test.file}`, "--test-name-pattern", name]);
    if (exitCode === 0 && passed.length > 0) flaky.push(test);
  }
  return flaky;
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}

async function runOnce({ options, env, repeats, report }: TestRun, selection: readonly string[]) {
  rmSync(report, { force: true });
  const reporter = ["--reporter=junit", `--reporter-outfile=${report}`];
  const child = Bun.spawn([process.execPath, "test", ...reporter, ...options, ...selection], {
    env,
    stdout: "inherit",
    // On a terminal, only an inherited stream has colours.
    stderr: repeats ? "pipe" : "inherit",
  });
  const end = child.stderr ? await passOn(child.stderr) : "";
  const exitCode = await child.exited;
  const xml = (await Bun.file(report).exists()) ? await Bun.file(report).text() : "";
  const tests = readReport(xml);
  const failed = tests.filter(({ result }) => result === "failed");
  const passed = tests.filter(({ result }) => result === "passed");
  return { exitCode, xml, tests, passed, failed, isComplete: countFailures(end) === failed.length };
}

/** Writes a stream to stderr, and returns its end. */
async function passOn(stream: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let end = "";
  for await (const bytes of stream) {
    await Bun.write(Bun.stderr, bytes);
    end = (end + decoder.decode(bytes, { stream: true })).slice(-1000);
  }
  return end;
}

/**
 * The failures in Bun's summary, which ends the output. Bun counts here what its report does not have: errors in hooks, files
 * that cannot be loaded, and files that did not run after a crash.
 */
function countFailures(output: string): number {
  const summary = output.slice(output.lastIndexOf("\n\n"));
  const counts = [...summary.matchAll(/^ (\d+) (?:fail|errors?)$/gm)].map(([, count]) => Number(count));
  return counts.reduce((sum, count) => sum + count, 0);
}
