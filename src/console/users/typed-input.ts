import type { Json } from "../../client/index.ts";
import { values as texts } from "../texts/index.ts";
import { parseExactNumber, parseJson } from "./json-parser.ts";

export const valueTypes = ["text", "number", "boolean", "null", "json"] as const;
export type ValueType = (typeof valueTypes)[number];

/** A value while it is edited: the chosen type and the text. */
export interface TypedInput {
  readonly type: ValueType;
  readonly text: string;
  /** Whether a part of the date is missing, such as the year. */
  readonly isPartial?: true;
}

type ParsedInput =
  | { readonly value: Json; readonly error?: undefined }
  | { readonly value?: undefined; readonly error: string };

/** No leading zeros: such text is usually an identifier, not a number. */
const NUMBER = /^[+-]?(?:(?:0|[1-9]\d*)(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;
/** JSON up to this length is shown on one line. */
const ONE_LINE_CHARACTERS = 48;

/** The exact value that was typed, or an error. */
export function parseTypedInput({ type, text, isPartial }: TypedInput): ParsedInput {
  if (isPartial) return { error: texts.partialDate };
  if (type === "text") return { value: text };
  if (type === "null") return { value: null };
  if (type === "boolean") return { value: text === "true" };
  if (type === "json") {
    const read = parseJson(text);
    return read.error === undefined ? { value: read.value } : read;
  }
  const digits = text.trim();
  if (!NUMBER.test(digits)) return { error: texts.number };
  const number = parseExactNumber(digits);
  return number === undefined ? { error: texts.inexact } : { value: number };
}

export function toTypedInput(value: Json): TypedInput {
  if (typeof value === "string") return { type: "text", text: value };
  if (typeof value === "number") return { type: "number", text: String(value) };
  if (typeof value === "boolean") return { type: "boolean", text: String(value) };
  if (value === null) return { type: "null", text: "" };
  const line = JSON.stringify(value);
  return { type: "json", text: line.length <= ONE_LINE_CHARACTERS ? line : JSON.stringify(value, null, 2) };
}
