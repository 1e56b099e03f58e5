import { truncate } from "../texts/format.ts";

const MAX_EXAMPLES = 3;
const EXAMPLE_CHARACTERS = 60;

/** Keeps the first different values of a column, truncated. */
export function addExample(examples: Set<string>, value: string): void {
  if (examples.size === MAX_EXAMPLES) return;
  const text = value.trim();
  if (text !== "") examples.add(truncate(text, EXAMPLE_CHARACTERS));
}
