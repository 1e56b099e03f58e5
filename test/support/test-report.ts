/** The results of a test run. */
export interface TestReport {
  readonly passed: number;
  readonly failed: number;
  /** The skipped tests, by test or by the group that is skipped as a whole, with the number of tests. */
  readonly skipped: ReadonlyMap<string, number>;
  readonly failedTests: readonly FailedTest[];
}

export interface FailedTest {
  readonly file: string;
  /** The names of its groups and of the test, from outside to inside. */
  readonly path: readonly string[];
  /** Whether a hook failed, such as `beforeAll`. The path is that of its group. */
  readonly isHook: boolean;
}

/** What Bun calls a hook. */
const HOOK = "(unnamed)";

/** Reads a report in JUnit's format. A test that is skipped for a reason has `marker` in its name or in the name of its group. */
export function readReport(xml: string, marker: string): TestReport {
  const totals = /<testsuites [^>]*>/.exec(xml)?.[0] ?? "";
  const total = (name: string) => Number(new RegExp(` ${name}="(\\d+)"`).exec(totals)?.[1] ?? 0);
  const failed = total("failures");
  return {
    passed: total("tests") - failed - total("skipped"),
    failed,
    skipped: countSkipped(xml, marker),
    failedTests: findTests(xml, "failure").map(({ file, path }) => {
      const isHook = path.at(-1) === HOOK;
      return { file, path: isHook ? path.slice(0, -1) : path, isHook };
    }),
  };
}

/** Turns the failures of tests that passed when they were repeated into `flakyFailure`, which readers of JUnit's format know. */
export function markFlaky(xml: string, flaky: readonly FailedTest[]): string {
  const keys = new Set(flaky.map(keyOf));
  const marked = xml.replace(TEST_CASE("failure"), (testCase, name, groups, file, rest) => {
    const isHook = name === HOOK;
    const path = toPath(groups, isHook ? "" : name);
    if (!keys.has(keyOf({ file, path, isHook }))) return testCase;
    return testCase.slice(0, -rest.length) + rest.replaceAll("failure", "flakyFailure");
  });
  return marked.replace(/(?<=<testsuites [^>]* failures=")\d+/, (count) => String(Number(count) - keys.size));
}

const keyOf = ({ file, path, isHook }: FailedTest) => JSON.stringify([file, path, isHook]);

function countSkipped(xml: string, marker: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { file, path } of findTests(xml, "skipped")) {
    const last = path.findIndex((part) => part.includes(marker));
    const key = [file, ...path.slice(0, last < 0 ? path.length : last + 1)].join(" > ");
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

/** A test case with this result: its name, its groups from inside to outside, its file, and the result. */
const TEST_CASE = (result: "skipped" | "failure") =>
  new RegExp(
    `<testcase name="([^"]*)" classname="([^"]*)"[^>]* file="([^"]*)"[^>]*>\\s*(<${result}\\b[^>]*(?:/>|>[^<]*</${result}>))`,
    "g",
  );

function findTests(xml: string, result: "skipped" | "failure"): { file: string; path: string[] }[] {
  return (
    [...xml.matchAll(TEST_CASE(result))]
      // Hooks of a skipped group have no name.
      .filter(([, name]) => result === "failure" || name !== HOOK)
      .map(([, name = "", groups = "", file = ""]) => ({ file, path: toPath(groups, name) }))
  );
}

function toPath(groups: string, name: string): string[] {
  return [...decodeXml(groups).split(" > ").reverse(), decodeXml(name)].filter((part) => part !== "");
}

function decodeXml(text: string): string {
  const characters: Record<string, string> = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" };
  return text.replace(/&(\w+);/g, (entity, name) => characters[name] ?? entity);
}
