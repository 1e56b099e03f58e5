import type { Screen } from "../command.ts";
import { wrapText } from "./table.ts";

/** A sentence or two for people; on a terminal, no word is cut in two by its edge. */
export function print(screen: Screen, text: string): void {
  screen.write(screen.isTTY ? wrapText(text, screen.columns || 80) : `${text}\n`);
}
