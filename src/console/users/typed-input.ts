import type { Json } from "../../client/index.ts";
import { values as texts } from "../texts/index.ts";
import { parseExactNumber, parseJson } from "./json-parser.ts";

export const valueTypes = ["text", "number", "flag", "empty", "json"] as const;
export type ValueType = (typeof valueTypes)[number];

/** A value as it is being typed. */
export interface TypedInput {
  readonly type: ValueType;
  readonly text: string;
}

type ParsedInput =
  | { readonly value: Json; readonly error?: undefined }
  | { readonly value?: undefined; readonly error: string };

/** No zeros in front: what has them is a text, such as a number of somebody. */
const NUMBER = /^[+-]?(?:(?:0|[1-9]\d*)(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;
/** JSON that is this short stands on one line. */
const SHORT = 48;

/** Exactly what was typed, or what is wrong with it. */
export function parseTypedInput({ type, text }: TypedInput): ParsedInput {
  if (type === "text") return { value: text };
  if (type === "empty") return { value: null };
  if (type === "flag") return { value: text === "true" };
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
  if (typeof value === "boolean") return { type: "flag", text: String(value) };
  if (value === null) return { type: "empty", text: "" };
  const line = JSON.stringify(value);
  return { type: "json", text: line.length <= SHORT ? line : JSON.stringify(value, null, 2) };
}
