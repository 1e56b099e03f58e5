import type { Screen } from "../command.ts";
import { paint } from "./colour.ts";
import { wrapText } from "./table.ts";

/** Prints a message, wrapped between words on a terminal. */
export function print(screen: Screen, text: string): void {
  screen.write(screen.isTTY ? wrapText(text, screen.columns || 80) : `${text}\n`);
}

/** Prints a message, with a check mark on a terminal only. */
export function printSuccess(screen: Screen, text: string): void {
  print(screen, screen.isTTY ? `${paint(screen, "green", "✓")} ${text}` : text);
}
