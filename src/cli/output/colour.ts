import type { Screen } from "../command.ts";
import { styleMark } from "./printable.ts";

/** ANSI codes that start and end each style. */
const codes = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
  grey: [90, 39],
} as const;

export type Colour = keyof typeof codes;

/** Colours the text on a terminal with colours, unless NO_COLOR is set. */
export function paint(screen: Screen, colour: Colour, text: string): string {
  if (!screen.isTTY || !screen.hasColors()) return text;
  const [start, end] = codes[colour];
  return `${styleMark(start)}${text}${styleMark(end)}`;
}
