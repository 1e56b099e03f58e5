import { beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SKIPPED } from "./requirements.ts";
import { countSkipped, markFlaky, type ReportedTest, readReport } from "./test-report.ts";

const tests = `
  import { afterAll, beforeAll, describe, expect, test } from "bun:test";

  describe('a "group" & <more>', () => {
    describe("inner > group", () => {
      test("fails (in) [brackets] with 'quotes' & <tags>", () => expect("failure").toBe("</failure>"));
      test("passes", () => undefined);
      test.each(["one", 'two "quoted"'])("each of %j", (text) => expect(text).toBe("one"));
      test("has two\\nlines", () => undefined);
    });
    test("takes too long", () => new Promise(() => undefined), 1);
  });
  describe.skip("skipped as a whole ${SKIPPED}for a reason]", () => {
    beforeAll(() => undefined);
    test("one", () => undefined);
    test("two", () => undefined);
  });
  test.skip("skipped without a reason", () => undefined);
  describe("a hook fails", () => {
    beforeAll(() => {
      throw new Error("hook");
    });
    test("never runs", () => undefined);
  });
  describe("the last hook fails", () => {
    afterAll(() => {
      throw new Error("hook");
    });
    test("runs", () => undefined);
  });
`;

let xml: string;
let reported: ReportedTest[];
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "roster-report-"));
  writeFileSync(join(folder, "some.test.ts"), tests);
  const command = [process.execPath, "test", "--reporter=junit", "--reporter-outfile=report.xml"];
  await Bun.spawn(command, { cwd: folder, stdout: "ignore", stderr: "ignore" }).exited;
  xml = await Bun.file(join(folder, "report.xml")).text();
  rmSync(folder, { recursive: true });
  reported = readReport(xml);
});

const pathsOf = (...results: ReportedTest["result"][]) =>
  reported.filter(({ result }) => results.includes(result)).map(({ path }) => path.join(" / "));

test("a report says which tests passed, with their groups from outside to inside", () => {
  expect(pathsOf("passed")).toEqual([
    'a "group" & <more> / inner > group / passes',
    'a "group" & <more> / inner > group / each of "one"',
    'a "group" & <more> / inner > group / has two\nlines',
    "the last hook fails / runs",
  ]);
  expect(reported.every(({ file }) => file === "some.test.ts")).toBe(true);
});

test("a report says which tests and which hooks failed", () => {
  expect(pathsOf("failed")).toEqual([
    "a \"group\" & <more> / inner > group / fails (in) [brackets] with 'quotes' & <tags>",
    'a "group" & <more> / inner > group / each of "two \\"quoted\\""',
    'a "group" & <more> / takes too long',
    "a hook fails",
    "the last hook fails",
  ]);
  const hooks = reported.filter(({ isHook, result }) => isHook && result === "failed");
  expect(hooks.map(({ path }) => path)).toEqual([["a hook fails"], ["the last hook fails"]]);
});

test("skipped tests are counted by the group that is skipped for a reason", () => {
  expect([...countSkipped(reported, SKIPPED)]).toEqual([
    ["some.test.ts > skipped as a whole [skipped: for a reason]", 2],
    ["some.test.ts > skipped without a reason", 1],
  ]);
});

test("a flaky test counts as passed in its groups, its file and the run", () => {
  const failed = reported.filter(({ result }) => result === "failed");
  const counts = (text: string) => [...text.matchAll(/ failures="(\d+)"/g)].map(([, count]) => Number(count));
  // The run, the file, two groups, the skipped group, and the groups of the hooks.
  expect(counts(xml)).toEqual([5, 5, 3, 2, 0, 1, 1]);
  const marked = markFlaky(xml, failed.slice(1, 4));
  expect(counts(marked)).toEqual([2, 2, 1, 1, 0, 0, 1]);
  const results = readReport(marked).map(({ result }) => result);
  expect(results.filter((result) => result === "failed")).toHaveLength(2);
  expect(marked.match(/<flakyFailure /g)).toHaveLength(3);
  expect(marked.match(/<failure /g)).toHaveLength(2);
  expect(markFlaky(xml, failed).match(/<\/?failure\b/g)).toBeNull();
  // The messages of tests are unchanged.
  expect(markFlaky(xml, failed)).toContain("Received: &quot;failure&quot;");
});

test("a report of a crashed process has no tests", () => {
  expect(readReport("")).toEqual([]);
  expect(markFlaky("", [])).toBe("");
});
