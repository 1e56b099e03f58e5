/** The results of a test run. */
export interface TestReport {
  readonly passed: number;
  readonly failed: number;
  /** The skipped tests, by test or by the group that is skipped as a whole, with the number of tests. */
  readonly skipped: ReadonlyMap<string, number>;
  readonly failedTests: readonly { readonly file: string; readonly name: string }[];
}

/** Reads a report in JUnit's format. A test that is skipped for a reason has `marker` in its name or in the name of its group. */
export function readReport(xml: string, marker: string): TestReport {
  const totals = /<testsuites [^>]*>/.exec(xml)?.[0] ?? "";
  const total = (name: string) => Number(new RegExp(` ${name}="(\\d+)"`).exec(totals)?.[1] ?? 0);
  const failed = total("failures");
  return {
    passed: total("tests") - failed - total("skipped"),
    failed,
    skipped: countSkipped(xml, marker),
    failedTests: findTests(xml, "failure").map(({ file, path }) => ({ file, name: path.join(" > ") })),
  };
}

function countSkipped(xml: string, marker: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { file, path } of findTests(xml, "skipped")) {
    const last = path.findIndex((part) => part.includes(marker));
    const key = [file, ...path.slice(0, last < 0 ? path.length : last + 1)].join(" > ");
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

function findTests(xml: string, result: "skipped" | "failure"): { file: string; path: string[] }[] {
  const pattern = `<testcase name="([^"]*)" classname="([^"]*)"[^>]* file="([^"]*)"[^>]*>\\s*<${result}`;
  return (
    [...xml.matchAll(new RegExp(pattern, "g"))]
      // Hooks of a skipped group have no name.
      .filter(([, name]) => result === "failure" || name !== "(unnamed)")
      .map(([, name = "", groups = "", file = ""]) => ({
        file,
        path: [...decodeXml(groups).split(" > ").reverse(), decodeXml(name)].filter((part) => part !== ""),
      }))
  );
}

function decodeXml(text: string): string {
  const characters: Record<string, string> = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" };
  return text.replace(/&(\w+);/g, (entity, name) => characters[name] ?? entity);
}
