import { printable } from "./printable.ts";

/** Two lines: the text around a character, and a caret under the character. `position` counts characters from 1. */
export function markPosition(text: string, position: number, width: number): string {
  const characters = [...printable(text)];
  const room = width - 2 * INDENT.length;
  const isLong = Bun.stringWidth(characters.join("")) > room;
  const first = isLong ? Math.max(0, position - 1 - Math.floor(room / 3)) : 0;
  const before = `${first > 0 ? "…" : ""}${characters.slice(first, position - 1).join("")}`;
  const rest = Bun.sliceAnsi(characters.slice(position - 1).join(""), 0, room - Bun.stringWidth(before), "…");
  return `${INDENT}${before}${rest}\n${INDENT}${" ".repeat(Bun.stringWidth(before))}^\n`;
}

const INDENT = "  ";
