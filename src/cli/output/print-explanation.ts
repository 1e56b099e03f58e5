import type { ListExplanation, ListPlan } from "../../client/index.ts";
import type { Screen } from "../command.ts";
import { paint } from "./colour.ts";
import { formatCount } from "./format-count.ts";
import { terminalWidth } from "./screen-width.ts";
import { formatTable } from "./table.ts";

/** Prints how a list is found: tables on a terminal and JSON on one line in a pipe, unless `output` says otherwise. */
export function printExplanation(
  stdout: Screen,
  explanation: ListExplanation,
  one: "user" | "group",
  output: "table" | "json" | "ndjson" | undefined,
): void {
  if ((output ?? (stdout.isTTY ? "table" : "ndjson")) === "table") {
    stdout.write(formatTables(stdout, explanation, one));
  } else {
    stdout.write(`${JSON.stringify(explanation, null, output === "json" ? 2 : 0)}\n`);
  }
}

type Row = readonly string[];

function formatTables(stdout: Screen, explanation: ListExplanation, one: string): string {
  const { plan: lastPlan, estimates, compared, rounds } = explanation;
  const width = terminalWidth(stdout);
  const table = (head: Row, rows: readonly Row[], right: readonly number[]) =>
    rows.length === 0 ? [] : [formatTable(head, rows, width, right, (line) => paint(stdout, "dim", line))];
  return [
    formatTable(["plan", formatPlan(lastPlan)], summarize(explanation, one), width, []),
    ...table(
      ["CONDITION", "INDEX ENTRIES"],
      (estimates?.conditions ?? []).map(({ condition, entries, exact }) => [
        condition,
        entries === null ? "no index" : `${exact ? "" : "about\u00a0"}${formatNumber(entries)}`,
      ]),
      [1],
    ),
    ...table(
      ["COMPARED", "EXPECTED ROWS", "EXPECTED TIME"],
      compared.map(({ plan, rowsExpected, microseconds }) => [
        formatPlan(plan),
        formatNumber(rowsExpected),
        `${formatNumber(microseconds)}\u00a0µs`,
      ]),
      [1, 2],
    ),
    ...table(
      ["ROUND", "FOR", "PLAN", "EXPECTED ROWS", "LIMIT", "ROWS READ", "MATCHES"],
      rounds.map(({ phase, plan, rowsExpected, limit, rowsRead, matches }, index) => [
        String(index + 1),
        phase,
        formatPlan(plan),
        formatNumber(rowsExpected),
        limit === null ? "none" : formatNumber(limit),
        formatNumber(rowsRead),
        formatNumber(matches),
      ]),
      [3, 4, 5, 6],
    ),
  ].join("\n");
}

function summarize(explanation: ListExplanation, one: string): Row[] {
  const { order, rowsRead, statements, found, hasMore, complete, estimates } = explanation;
  const rest = complete ? "and there are more" : "and the search was not finished";
  const summary: Row[] = [
    ["order", order],
    ["found", formatCount(found, one) + (hasMore ? `, ${rest}` : "")],
    ["rows read", `${formatNumber(rowsRead)}, with ${formatCount(statements, "statement")}`],
  ];
  if (estimates) {
    const { rows, matches } = estimates;
    summary.push(["estimated", `${formatNumber(matches)} matches among ${formatCount(rows, one)}`]);
  }
  return summary;
}

function formatPlan({ kind, condition }: ListPlan): string {
  return condition === undefined ? kind : `${kind} (${condition})`;
}

function formatNumber(number: number): string {
  return number.toLocaleString("en");
}
