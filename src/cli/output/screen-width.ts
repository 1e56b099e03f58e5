import type { Screen } from "../command.ts";

/** Only a terminal limits the width. */
export function terminalWidth(stdout: Screen): number {
  return stdout.isTTY ? stdout.columns || 80 : Number.POSITIVE_INFINITY;
}
