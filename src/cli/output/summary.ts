import type { MoveResult } from "../../store/move.ts";

/** A sentence, and under it the figures of what was done. */
export function formatSummary(
  sentence: string,
  figures: readonly (readonly [name: string, value: string])[],
): string {
  const width = Math.max(8, ...figures.map(([name]) => name.length)) + 2;
  return `${sentence}\n${figures.map(([name, value]) => `  ${name.padEnd(width)}${value}\n`).join("")}`;
}

/** How many rows of each table there are now, and what tells them from any others. */
export function copyFigures({ rows, checksum }: MoveResult, since: number): [string, string][] {
  return [
    ...[...rows].map(([table, count]): [string, string] => [table, count.toLocaleString("en")]),
    ["seconds", secondsSince(since).toFixed(1)],
    ["checksum", `sha256 ${checksum}`],
  ];
}

export function secondsSince(since: number): number {
  return (performance.now() - since) / 1000;
}
