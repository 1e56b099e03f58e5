import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SKIPPED } from "./requirements.ts";

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

const once = `import { existsSync, writeFileSync } from "node:fs";
  /** Throws the first time that any process calls it with this name. */
  function failOnce(name) {
    if (existsSync(name)) return;
    writeFileSync(name, "");
    throw new Error(name);
  }`;
const passing = 'test("passes", () => undefined);';
const flaky = 'describe("a (flaky) group", () => test("fails once", () => failOnce("once")));';
const failing = 'test("fails", () => { throw new Error("again"); });';

/** Runs test files with these bodies, in parallel. Returns the lines on stdout, the exit code and the report. */
async function runTestFiles(files: Record<string, string>, repeats = true) {
  const folder = mkdtempSync(join(tmpdir(), "roster-run-"));
  folders.push(folder);
  for (const [name, body] of Object.entries(files)) {
    const imports = 'import { afterAll, beforeAll, describe, test } from "bun:test";';
    writeFileSync(join(folder, `${name}.test.ts`), `${imports}\n${once}\n${body}`);
  }
  const report = join(folder, "dist/report.xml");
  const run = { options: ["--parallel=2", "--no-isolate"], selection: [], repeats, report };
  const script = `
    import { runTests } from ${JSON.stringify(join(import.meta.dir, "run-tests.ts"))};
    process.exit(await runTests({ ...${JSON.stringify(run)}, env: process.env }) ? 0 : 1);`;
  writeFileSync(join(folder, "run.ts"), script);
  const child = Bun.spawn([process.execPath, "run.ts"], { cwd: folder, stdout: "pipe", stderr: "pipe" });
  const [stdout, stderr] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  // The first line is the version of Bun, of each test process.
  const lines = stdout
    .trim()
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("bun test "));
  return { code: await child.exited, lines, stderr, report: readFileSync(report, "utf8") };
}

const flakyLine = "flaky: flaky.test.ts > a (flaky) group > fails once";

test("a test that passes the second time is listed as flaky, and does not fail the run", async () => {
  const ran = await runTestFiles({ flaky, passing });
  expect(ran).toMatchObject({ code: 0, lines: [flakyLine, "2 passed, 0 failed"] });
  expect(ran.stderr).toContain("error: once");
  expect(ran.report).toMatch(/<testsuites [^>]* failures="0"/);
  expect(ran.report).toContain('<flakyFailure type="Error" message="once">');
  expect(ran.report).not.toContain("<failure");
});

test("a hook that passes the second time is flaky, and so is a hook of a whole file", async () => {
  const ran = await runTestFiles({
    group: `describe("a group", () => { beforeAll(() => failOnce("once")); ${passing} });`,
    whole: `afterAll(() => failOnce("last")); ${passing}`,
  });
  expect(ran.code).toBe(0);
  expect(ran.lines.slice(0, -1)).toEqual(["flaky: group.test.ts > a group", "flaky: whole.test.ts"]);
  expect(ran.lines.at(-1)).toEndWith(" passed, 0 failed");
});

test("a test that fails twice fails the run", async () => {
  const ran = await runTestFiles({ flaky, failing, passing });
  expect(ran).toMatchObject({ code: 1, lines: [flakyLine, "2 passed, 1 failed"] });
  expect(ran.report).toMatch(/<testsuites [^>]* failures="1"/);
  expect(ran.stderr.match(/error: again/g)).toHaveLength(2);
});

test("without repeats, each test runs once", async () => {
  const ran = await runTestFiles({ flaky, passing }, false);
  expect(ran).toMatchObject({ code: 1, lines: ["1 passed, 1 failed"] });
  expect(ran.report).not.toContain("flakyFailure");
});

test("if many tests fail, none is repeated", async () => {
  const many = Array.from({ length: 11 }, (_, i) => `test("${i}", () => failOnce("${i}"));`);
  const ran = await runTestFiles({ many: many.join("\n"), passing });
  expect(ran).toMatchObject({ code: 1, lines: ["1 passed, 11 failed"] });
});

describe("a run fails, whatever else is flaky, if", () => {
  test.each([
    ["a test process is killed", 'test("is killed", () => process.kill(process.pid, "SIGKILL"));'],
    // Bun then runs no more files, and its report does not have them.
    ["a test process crashes", 'test("crashes", () => process.kill(process.pid, "SIGSEGV"));'],
    ["a test process exits early with code 0", 'test("exits", () => process.exit(0));'],
    ["a file cannot be loaded", `${passing} throw new Error("load");`],
    [
      "an error occurs outside of the tests",
      `beforeAll(async () => { setTimeout(() => { throw new Error("late"); }); await Bun.sleep(10); }); ${passing}`,
    ],
  ])("%s", async (_, broken) => {
    const more = Object.fromEntries(Array.from({ length: 4 }, (_, i) => [`more${i}`, passing]));
    const ran = await runTestFiles({ broken, flaky, ...more });
    expect(ran.code).toBe(1);
    expect(ran.lines.at(-1)).toMatch(/^\d+ passed, [1-9]\d* failed$/);
  });

  test("its only test process crashes", async () => {
    const ran = await runTestFiles({ broken: `${passing} test("exits", () => process.exit(0));` }).catch(
      String,
    );
    expect(ran).toMatchObject({ code: 1, lines: ["0 passed, 0 failed"] });
  });

  test("a test is skipped without a reason", async () => {
    const skipped = 'test.skip("no reason", () => undefined);';
    const ran = await runTestFiles({ skipped, passing });
    expect(ran.code).toBe(1);
    expect(ran.lines).toContain("  skipped.test.ts > no reason");
    expect(ran.lines).toContain("Give a reason for each skipped test: see test/support/requirements.ts.");
    expect(ran.lines.at(-1)).toBe("1 passed, 0 failed");
  });
});

test("a test may be skipped for a reason, which the run lists", async () => {
  const skipped = `describe.skip("a group ${SKIPPED}too old]", () => { ${passing} test("more", () => undefined); });`;
  const ran = await runTestFiles({ skipped, passing });
  expect(ran).toMatchObject({
    code: 0,
    lines: ["Skipped:", "  skipped.test.ts > a group [skipped: too old] (2 tests)", "1 passed, 0 failed"],
  });
});
