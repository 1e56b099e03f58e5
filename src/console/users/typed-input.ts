import type { Json } from "../../client/index.ts";
import { values as texts } from "../texts/index.ts";
import { readJsonText, readNumber } from "./json-parser.ts";

export const valueTypes = ["text", "number", "flag", "empty", "json"] as const;
export type ValueType = (typeof valueTypes)[number];

/** A value as it is being typed. */
export interface TypedInput {
  readonly type: ValueType;
  readonly text: string;
}

type ParsedInput =
  | { readonly value: Json; readonly fault?: undefined }
  | { readonly value?: undefined; readonly fault: string };

/** No zeros in front: what has them is a text, such as a number of somebody. */
const NUMBER = /^[+-]?(?:(?:0|[1-9]\d*)(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;
/** JSON that is this short stands on one line. */
const SHORT = 48;

/** Exactly what was typed, or what is wrong with it. */
export function readTyped({ type, text }: TypedInput): ParsedInput {
  if (type === "text") return { value: text };
  if (type === "empty") return { value: null };
  if (type === "flag") return { value: text === "true" };
  if (type === "json") {
    const read = readJsonText(text);
    return read.fault === undefined ? { value: read.value } : read;
  }
  const digits = text.trim();
  if (!NUMBER.test(digits)) return { fault: texts.number };
  const number = readNumber(digits);
  return number === undefined ? { fault: texts.inexact } : { value: number };
}

export function typedOf(value: Json): TypedInput {
  if (typeof value === "string") return { type: "text", text: value };
  if (typeof value === "number") return { type: "number", text: String(value) };
  if (typeof value === "boolean") return { type: "flag", text: String(value) };
  if (value === null) return { type: "empty", text: "" };
  const line = JSON.stringify(value);
  return { type: "json", text: line.length <= SHORT ? line : JSON.stringify(value, null, 2) };
}
