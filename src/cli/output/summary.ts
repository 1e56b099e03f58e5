import type { MoveResult } from "../../store/archive/move.ts";
import type { Screen } from "../command.ts";
import { print } from "./print.ts";

/** Prints a sentence with a table of figures below. */
export function printSummary(
  screen: Screen,
  sentence: string,
  figures: readonly (readonly [name: string, value: string])[],
): void {
  const width = Math.max(8, ...figures.map(([name]) => name.length)) + 2;
  print(screen, sentence);
  screen.write(figures.map(([name, value]) => `  ${name.padEnd(width)}${value}\n`).join(""));
}

/** The number of rows in each table, the duration and the checksum. */
export function copyFigures({ rows, checksum }: MoveResult, since: number): [string, string][] {
  return [
    ...[...rows].map(([table, count]): [string, string] => [table, count.toLocaleString("en")]),
    ["seconds", secondsSince(since).toFixed(1)],
    ["sha256", checksum],
  ];
}

export function secondsSince(since: number): number {
  return (performance.now() - since) / 1000;
}
