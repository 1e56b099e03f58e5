import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { YAML } from "bun";
import dashboard from "../../deploy/grafana/roster.json" with { type: "json" };
import { onEachEngine } from "../support/engines.ts";
import { root } from "../support/paths.ts";
import { stopAll } from "../support/process/roster.ts";
import { scrapeMetrics } from "../support/scrape-metrics.ts";

setDefaultTimeout(120_000);
const read = (path: string) => readFileSync(join(root, path), "utf8");

/** Every value of this property, at any depth. */
function findAll(value: unknown, property: string): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    name === property && typeof inner === "string" ? [inner] : findAll(inner, property),
  );
}

interface Selector {
  readonly metric: string;
  readonly labels: readonly string[];
}

/** The metrics that a PromQL query reads, with the labels that it selects by. */
function selectorsOf(query: string): Selector[] {
  const selectors: Selector[] = [];
  const words = query
    .replace(/"[^"]*"/g, '""')
    .replace(/\b(\w+)\{([^}]*)\}/g, (_, metric: string, matchers: string) => {
      selectors.push({
        metric,
        labels: [...matchers.matchAll(/(\w+)\s*[=!]/g)].map(([, label = ""]) => label),
      });
      return "";
    })
    .replace(/\b(by|on|without|ignoring)\s*\([^)]*\)/g, "")
    .replace(/\[[^\]]*\]/g, "");
  for (const [, metric = ""] of words.matchAll(/\b([a-z]\w*)\b(?!\s*\()/g))
    if (!["and", "or", "unless", "bool"].includes(metric)) selectors.push({ metric, labels: [] });
  return selectors;
}

/** The labels that Prometheus adds to every series. */
const TARGET_LABELS = ["job", "instance"];

/** The labels of each series of a scrape, by its name. `up` comes from Prometheus. */
function seriesOf(scrapes: Iterable<string>): Map<string, Set<string>> {
  const series = new Map([["up", new Set(TARGET_LABELS)]]);
  for (const line of [...scrapes].join("\n").split("\n")) {
    const [, name, labels = ""] = /^([a-z]\w*)(\{.*\})? \S+$/.exec(line) ?? [];
    if (name === undefined) continue;
    const known = series.get(name) ?? new Set(TARGET_LABELS);
    for (const [, label = ""] of labels.matchAll(/(\w+)="/g)) known.add(label);
    series.set(name, known);
  }
  return series;
}

const alerts = YAML.parse(read("deploy/prometheus/alerts.yaml"));
const alertQueries = findAll(alerts, "expr");
const dashboardQueries = findAll(dashboard, "expr").map((query) =>
  query.replaceAll("$__rate_interval", "5m"),
);
const scrapes = new Map<string, string>();

describe("the metrics", () => {
  onEachEngine((engine) => {
    beforeAll(async () => {
      scrapes.set(engine, await scrapeMetrics(engine));
    });
    afterAll(stopAll);

    test("follow the naming rules of Prometheus", () => {
      const families = [...(scrapes.get(engine) ?? "").matchAll(/^# TYPE (\S+) (\S+)$/gm)];
      expect(families.length).toBeGreaterThan(15);
      for (const [, name = "", type] of families) {
        expect(name).toMatch(/^(roster|process)_[a-z]+(_[a-z]+)*$/);
        expect([name, name.endsWith("_total")]).toEqual([name, type === "counter"]);
        expect(name).not.toMatch(/_(ms|milliseconds|minutes|hours|kb|mb|kilobytes|megabytes|percent)(_|$)/);
        expect(scrapes.get(engine)).toContain(`# HELP ${name} `);
      }
    });

    test("have one row each in docs/operations.md", () => {
      const rows = [...read("docs/operations.md").matchAll(/^\| (`roster_[^|]+) \|/gm)];
      const described = rows.flatMap(([, names = ""]) => names.split(", "));
      for (const [, name = ""] of (scrapes.get(engine) ?? "").matchAll(/^# TYPE (roster_\w+)/gm))
        expect(described.filter((each) => each === `\`${name}\``)).toEqual([`\`${name}\``]);
    });
  });

  test("have every name and label that an alert or the Grafana dashboard reads", () => {
    const series = seriesOf(scrapes.values());
    const queries = [...alertQueries, ...dashboardQueries];
    expect([alertQueries.length > 10, dashboardQueries.length > 20]).toEqual([true, true]);
    for (const query of queries) {
      const selectors = selectorsOf(query);
      expect(selectors.length).toBeGreaterThan(0);
      for (const { metric, labels } of selectors) {
        expect([...series.keys()]).toContain(metric);
        for (const label of labels) expect([...(series.get(metric) ?? [])]).toContain(label);
      }
    }
  });

  test("are all on the dashboard", () => {
    const shown = dashboardQueries.flatMap(selectorsOf).map(({ metric }) => metric);
    for (const [, family = ""] of [...scrapes.values()].join("\n").matchAll(/^# TYPE (\S+)/gm))
      expect([family, shown.some((metric) => metric.replace(/_(bucket|sum|count)$/, "") === family)]).toEqual(
        [family, true],
      );
  });
});

test("every alert has a severity, a summary and a unit test", () => {
  const names = findAll(alerts, "alert");
  const severities = findAll(alerts, "severity");
  const summaries = findAll(alerts, "summary");
  expect([severities.length, summaries.length]).toEqual([names.length, names.length]);
  for (const severity of severities) expect(["info", "warning", "critical"]).toContain(severity);
  for (const summary of summaries) expect(summary).toEndWith(".");
  const tested = read("deploy/prometheus/alerts.test.yaml");
  for (const name of names) expect(tested).toContain(`alertname: ${name}\n`);
});

test("the panels of the dashboard have different ids and do not overlap", () => {
  const ids = dashboard.panels.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  const cells = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)},${y + Math.floor(cell / w)}`),
  );
  expect(new Set(cells).size).toBe(cells.length);
});
