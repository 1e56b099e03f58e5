import type { PlanFigures, PlanOptions } from "../list-plans/measure-plans.ts";
import {
  describeRun,
  formatMicros,
  formatRatio,
  reportDifferences,
  writeSection,
} from "../list-plans/report-sections.ts";
import { markdownTable, print, type Row, verdict } from "../support/table.ts";
import type { SweptList } from "./swept-lists.ts";

const TARGET = 1.3;

type SweptFigures = SweptList & PlanFigures;

interface SweepReport extends PlanOptions {
  readonly engine: string;
  readonly users: number;
  readonly figures: readonly SweptFigures[];
  /** Whether all lists were measured. */
  readonly isWhole: boolean;
}

/** Prints the figures, writes them to list-sweep.md if no list was left out, and sets the exit code. */
export function reportSweep(report: SweepReport, json: boolean): void {
  const { engine, users, figures, isWhole } = report;
  const rows = figures.map((list) => [list.name, ...cellsOf(list), verdictOf(list)]);
  print(json, { ...report, target: TARGET }, [["list", ...columns, ""], ...rows]);
  if (isWhole) writeSection({ file: "list-sweep.md", engine, users, body: bodyOf(report) });
  reportDifferences(figures);
}

const columns = ["plan", "Roster", "first", "scan", "index", "ratio"];

function cellsOf({ plan = "", roster, first, scan, index, ratio }: SweptFigures): string[] {
  return [plan, ...[roster, first, scan, index].map(formatMicros), formatRatio(ratio)];
}

function verdictOf({ ratio, isEven }: SweptFigures): string {
  return ratio === undefined || !isEven ? "" : verdict(ratio <= TARGET);
}

function bodyOf(report: SweepReport): string {
  const { engine, figures } = report;
  const groups = [...Map.groupBy(figures, ({ group }) => group)];
  const script = engine === "SQLite" ? "list-sweep" : "pg-list-sweep";
  const even = figures.filter(({ isEven }) => isEven);
  const tables = groups.map(([group, lists]) => {
    const rows = lists.map((list): Row => [`1 in ${formatNumber(list.oneIn)}`, ...cellsOf(list)]);
    return `### ${engine}: ${group}\n\n${markdownTable([["matches", ...columns], ...rows])}`;
  });
  return `${describeRun(script, report)} ${countMet(even)} of ${even.length} lists of evenly spread matches meet the target of ${TARGET}.

${markdownTable([["list", "meet the target", "highest ratio", "with matches"], ...groups.map(summaryOf)])}

${tables.join("\n\n")}`;
}

function summaryOf([group, lists]: [group: string, lists: readonly SweptFigures[]]): Row {
  const worst = lists.reduce((a, b) => ((b.ratio ?? 0) > (a.ratio ?? 0) ? b : a));
  return [
    group,
    lists.every(({ isEven }) => isEven) ? `${countMet(lists)} of ${lists.length}` : "no target",
    formatRatio(worst.ratio),
    `1 in ${formatNumber(worst.oneIn)}`,
  ];
}

function countMet(lists: readonly SweptFigures[]): number {
  return lists.filter(({ ratio = 0 }) => ratio <= TARGET).length;
}

function formatNumber(value: number): string {
  return value.toLocaleString("en-US");
}
