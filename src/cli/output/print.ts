import type { Screen } from "../command.ts";
import { paint } from "./colour.ts";
import { wrapText } from "./table.ts";

/** Prints a message, wrapped between words on a terminal. U+00A0 is a space that must not be broken. */
export function print(screen: Screen, text: string): void {
  screen.write(screen.isTTY ? wrapText(text, screen.columns || 80) : `${text.replaceAll("\u00a0", " ")}\n`);
}

/** Prints a message, with a check mark on a terminal only. */
export function printSuccess(screen: Screen, text: string): void {
  print(screen, screen.isTTY ? `${paint(screen, "green", "✓")} ${text}` : text);
}
