import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import { print, type Row, verdict } from "../support/table.ts";
import type { PlanFigures, PlanOptions } from "./measure-plans.ts";

const TARGET = 1.5;
const path = join(import.meta.dir, "../list-plans.md");

export interface PlanReport extends PlanOptions {
  readonly engine: string;
  readonly users: number;
  readonly figures: readonly PlanFigures[];
}

/** Prints the figures, writes them to list-plans.md, and sets the exit code. */
export function reportPlans(report: PlanReport, json: boolean): void {
  const { figures } = report;
  print(json, { ...report, target: TARGET }, rowsOf(figures));
  writeSection(report);
  const differing = figures.filter(({ differs }) => differs).map(({ name }) => name);
  if (differing.length > 0)
    console.error(`Roster returns fewer or other users than the scan: ${differing.join("; ")}`);
  process.exitCode = differing.length > 0 ? 1 : 0;
}

function rowsOf(figures: readonly PlanFigures[]): Row[] {
  const format = (value: number | undefined, digits: number) => value?.toFixed(digits) ?? "";
  return [
    ["list", "Roster", "scan", "index", "ratio", "target", ""],
    ...figures.map(({ name, roster, scan, index, ratio }) => [
      name,
      ...[roster, scan, index].map((micros) => format(micros, 1)),
      format(ratio, 2),
      ratio === undefined ? "" : `≤ ${TARGET}`,
      ratio === undefined ? "" : verdict(ratio <= TARGET),
    ]),
  ];
}

/** Replaces the section of this engine and size, or adds it. */
function writeSection({ engine, users, rounds, milliseconds, figures }: PlanReport): void {
  const title = `## ${engine}, ${users.toLocaleString("en-US")} users`;
  const script = engine === "SQLite" ? "list-plans" : "pg-list-plans";
  const missed = figures.filter(({ ratio }) => ratio !== undefined && ratio > TARGET).length;
  const measured = figures.filter(({ ratio }) => ratio !== undefined).length;
  const [heading = [], ...rows] = rowsOf(figures).map((row) => row.slice(0, 5));
  const section = `${title}

\`npm run bench -- ${script} -- --users ${users}\`: the lowest of ${rounds} batches of ${milliseconds} ms, in µs of CPU time per request. Load average
at the end: ${loadavg()[0]?.toFixed(1)}. ${measured - missed} of ${measured} kinds meet the target of ${TARGET}.

${[heading, heading.map((_, column) => (column === 0 ? "---" : "---:")), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n")}
`;
  const [introduction = "", ...sections] = (existsSync(path) ? readFileSync(path, "utf8") : "").split(
    /^(?=## )/m,
  );
  const others = sections.filter((other) => !other.startsWith(`${title}\n`));
  const all = [...others.map((other) => `${other.trimEnd()}\n`), section].sort(bySection);
  writeFileSync(path, `${introduction.trimEnd()}\n\n${all.join("\n")}`);
}

/** By engine, then by number of users. */
function bySection(a: string, b: string): number {
  const [[engineA, usersA], [engineB, usersB]] = [keyOf(a), keyOf(b)];
  return engineA === engineB ? usersA - usersB : engineA > engineB ? -1 : 1;
}

function keyOf(section: string): [engine: string, users: number] {
  const [, engine = "", users = ""] = /^## (\w+), ([\d,]+)/.exec(section) ?? [];
  return [engine, Number(users.replaceAll(",", ""))];
}
