import type { Screen } from "../command.ts";

/** What begins each and what ends it, as terminals know them. */
const codes = { dim: [2, 22], red: [31, 39], green: [32, 39], yellow: [33, 39] } as const;

export type Colour = keyof typeof codes;

/** In that colour on a terminal that has some, unless NO_COLOR says otherwise; elsewhere the text as it is. */
export function paint(screen: Screen, colour: Colour, text: string): string {
  if (!screen.isTTY || !screen.hasColors?.()) return text;
  const [begin, end] = codes[colour];
  return `\u001b[${begin}m${text}\u001b[${end}m`;
}
