import { activity as texts } from "../texts/activity.ts";
import { truncate } from "../texts/format.ts";

/** Characters of a value in a sentence. The details have all of it. */
const MAX_CHARACTERS = 40;
/** Equal characters that two long texts show before their first difference. */
const CONTEXT = 8;

/** A value in a sentence: its text, its JSON, or words for a value that has no text. */
export interface ShownValue {
  readonly kind: "text" | "json" | "words";
  readonly text: string;
}

/** The values of a change, short enough for a sentence, and different from each other. */
export function shortenChange(from: unknown, to: unknown): readonly [ShownValue, ShownValue] {
  const [before, after] = [show(from), show(to)];
  const looksSame = before.text === after.text;
  const [old, now] = looksSame ? [asJson(from), asJson(to)] : [before, after];
  const start = old.kind === now.kind ? firstToShow(old.text, now.text) : 0;
  return [cut(old, start), cut(now, start)];
}

export function shortenValue(value: unknown): ShownValue {
  return cut(show(value), 0);
}

function show(value: unknown): ShownValue {
  if (value === undefined) return { kind: "words", text: texts.notSet };
  if (value === "") return { kind: "words", text: texts.emptyText };
  if (typeof value === "string") return { kind: "text", text: value };
  return asJson(value);
}

function asJson(value: unknown): ShownValue {
  return value === undefined ? show(value) : { kind: "json", text: JSON.stringify(value) };
}

/** Where long texts begin, so that their first difference is shown. */
function firstToShow(a: string, b: string): number {
  if (Math.max(a.length, b.length) <= MAX_CHARACTERS) return 0;
  const shorter = Math.min(a.length, b.length);
  let equal = 0;
  while (equal < shorter && a[equal] === b[equal]) equal++;
  return equal < MAX_CHARACTERS / 2 ? 0 : equal - CONTEXT;
}

function cut({ kind, text }: ShownValue, start: number): ShownValue {
  // The second half of a surrogate pair is no character.
  const from = /[\uDC00-\uDFFF]/.test(text.charAt(start)) ? start - 1 : start;
  const rest = text.slice(from, from + 4 * MAX_CHARACTERS).replace(/\s+/g, " ");
  return { kind, text: `${from > 0 ? "…" : ""}${truncate(rest, MAX_CHARACTERS)}` };
}
