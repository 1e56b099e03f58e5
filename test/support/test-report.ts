/** Reads and changes test reports in JUnit's format, as Bun writes them: each tag begins a line, and each result is on one line. */

export interface ReportedTest {
  readonly file: string;
  /** The names of its groups and of the test, from outside to inside. */
  readonly path: readonly string[];
  /** Whether this is a hook, such as `beforeAll`. The path is that of its group. */
  readonly isHook: boolean;
  readonly result: "passed" | "failed" | "skipped";
  /** The lines of the report that count the test. */
  readonly countedIn: readonly number[];
  /** The line of the report that has the result. */
  readonly line: number;
}

/** What Bun calls a hook. Reports have only hooks that failed or were skipped. */
const HOOK = "(unnamed)";

export function readReport(xml: string): ReportedTest[] {
  const tests: ReportedTest[] = [];
  const open: { readonly name: string; readonly line: number }[] = [];
  for (const [line, text] of xml.split("\n").entries()) {
    const tag = /^\s*<([/\w]+)/.exec(text)?.[1];
    if (tag === "testsuites" || tag === "testsuite") open.push({ name: readAttribute(text, "name"), line });
    if (tag === "/testsuites" || tag === "/testsuite") open.pop();
    if (tag === "testcase") {
      const name = readAttribute(text, "name");
      const isHook = name === HOOK;
      // The outermost two are the run and the file.
      const groups = open.slice(2).map((group) => group.name);
      const countedIn = open.map((group) => group.line);
      const path = isHook ? groups : [...groups, name];
      tests.push({ file: readAttribute(text, "file"), path, isHook, result: "passed", countedIn, line });
    }
    const last = tests.at(-1);
    if (last && tag === "failure") tests.splice(-1, 1, { ...last, result: "failed", line });
    if (last && tag === "skipped") tests.splice(-1, 1, { ...last, result: "skipped", line });
  }
  return tests;
}

/** Turns the failures of flaky tests of this report into `flakyFailure`, which readers of JUnit's format know. */
export function markFlaky(xml: string, flaky: readonly ReportedTest[]): string {
  const lines = xml.split("\n");
  const change = (line: number, pattern: RegExp, by: (found: string) => string) => {
    lines[line] = (lines[line] ?? "").replace(pattern, by);
  };
  for (const { line, countedIn } of flaky) {
    change(line, /<failure\b|<\/failure>$/g, (tag) => tag.replace("failure", "flakyFailure"));
    for (const suite of countedIn) change(suite, /(?<= failures=")\d+/, (count) => String(Number(count) - 1));
  }
  return lines.join("\n");
}

/**
 * Counts skipped tests, by test or by the group that is skipped as a whole. `marker` begins the reason in the name of the test
 * or of the group.
 */
export function countSkipped(tests: readonly ReportedTest[], marker: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { file, path, isHook, result } of tests) {
    if (result !== "skipped" || isHook) continue;
    const last = path.findIndex((part) => part.includes(marker));
    const key = [file, ...path.slice(0, last < 0 ? path.length : last + 1)].join(" > ");
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

function readAttribute(tag: string, name: string): string {
  return decodeXml(new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1] ?? "");
}

function decodeXml(text: string): string {
  const characters: Record<string, string> = {
    lt: "<",
    gt: ">",
    quot: '"',
    apos: "'",
    amp: "&",
    "#10": "\n",
  };
  return text.replace(/&([#\w]+);/g, (entity, name) => characters[name] ?? entity);
}
