import { markdownTable, print, type Row, verdict } from "../support/table.ts";
import { describeCauses } from "./causes.ts";
import type { MeasuredList, PlanFigures, PlanOptions } from "./measure-plans.ts";
import {
  describeRun,
  formatMicros,
  formatRatio,
  reportDifferences,
  writeSection,
} from "./report-sections.ts";

const TARGET = 1.5;

type ListFigures = MeasuredList & PlanFigures;

interface PlanReport extends PlanOptions {
  readonly engine: string;
  readonly users: number;
  readonly figures: readonly ListFigures[];
}

/** Prints the figures, writes them to list-plans.md, and sets the exit code. */
export function reportPlans(report: PlanReport, json: boolean): void {
  const { engine, users, figures } = report;
  print(json, { ...report, target: TARGET }, rowsOf(figures));
  const script = engine === "SQLite" ? "list-plans" : "pg-list-plans";
  const compared = figures.filter(({ ratio }) => ratio !== undefined);
  const missed = compared.filter(({ ratio = 0 }) => ratio > TARGET).map(({ name }) => name);
  const body = `${describeRun(script, report)} ${compared.length - missed.length} of ${compared.length} kinds meet the target of ${TARGET}.

${markdownTable(rowsOf(figures).map((row) => row.slice(0, 5)))}${missed.length > 0 ? `\n\nAbove the target:\n\n${describeCauses(engine, missed)}` : ""}`;
  writeSection({ file: "list-plans.md", engine, users, body });
  reportDifferences(figures);
}

function rowsOf(figures: readonly ListFigures[]): Row[] {
  return [
    ["list", "Roster", "scan", "index", "ratio", "target", ""],
    ...figures.map(({ name, roster, scan, index, ratio }) => [
      name,
      ...[roster, scan, index].map(formatMicros),
      formatRatio(ratio),
      ratio === undefined ? "" : `≤ ${TARGET}`,
      ratio === undefined ? "" : verdict(ratio <= TARGET),
    ]),
  ];
}
