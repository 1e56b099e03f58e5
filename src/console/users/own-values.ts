import type { Json } from "../../client/index.ts";
import { managedFields } from "../../contract/user.ts";
import { user as texts } from "../texts/index.ts";
import { readJsonText, readNumber } from "./json-text.ts";

export const rowTypes = ["text", "number", "flag", "empty", "json"] as const;
export type RowType = (typeof rowTypes)[number];

/** One of the caller's own fields, as it is being typed. */
export interface Row {
  /** Tells it from others, whatever they are called. */
  readonly key: number;
  readonly name: string;
  readonly type: RowType;
  /** What was typed; it outlives a change of the type. */
  readonly text: string;
}

/** The caller's own fields as they are being typed, in one form or the other. */
export type Own =
  | { readonly form: "rows"; readonly rows: readonly Row[] }
  | { readonly form: "json"; readonly text: string };

export interface RowFault {
  /** What it is about; nobody knows of what the service says about a field. */
  readonly part: "name" | "value" | "either";
  readonly text: string;
}

interface OwnReading {
  readonly fields: ReadonlyMap<string, Json>;
  /** By the key of the row. */
  readonly rowFaults: ReadonlyMap<number, RowFault>;
  readonly jsonFault: string | undefined;
  /** Where each field stands in the JSON. */
  readonly lines: ReadonlyMap<string, number>;
}

export type Fields = ReadonlyMap<string, Json>;

const none: OwnReading = { fields: new Map(), rowFaults: new Map(), jsonFault: undefined, lines: new Map() };
const managed = new Set<string>(managedFields);
const LOOKS_LIKE_NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;
/** JSON that is this short stands on one line. */
const SHORT = 48;
let rows = 0;

export function newRow(name = "", type: RowType = "text", text = ""): Row {
  return { key: ++rows, name, type, text };
}

export function ownOf(fields: Fields): Own {
  return { form: "rows", rows: [...fields].map(([name, value]) => newRow(name, ...typedOf(value))) };
}

/** What was typed comes to, and what is wrong with it. */
export function readOwn(own: Own): OwnReading {
  return own.form === "rows" ? readRows(own.rows) : readObject(own.text);
}

/** The same in the other form; undefined as long as something is wrong with it. */
export function inOtherForm(own: Own): Own | undefined {
  const { fields, rowFaults, jsonFault } = readOwn(own);
  if (rowFaults.size > 0 || jsonFault !== undefined) return undefined;
  return own.form === "json"
    ? ownOf(fields)
    : { form: "json", text: JSON.stringify(Object.fromEntries(fields), null, 2) };
}

/** The same for what comes to the same: to see whether anything was changed. */
export function signatureOf(own: Own): string {
  const { fields, rowFaults, jsonFault } = readOwn(own);
  const sound = rowFaults.size === 0 && jsonFault === undefined;
  return JSON.stringify(sound ? [...fields] : own);
}

function typedOf(value: Json): [RowType, string] {
  if (typeof value === "string") return ["text", value];
  if (typeof value === "number") return ["number", String(value)];
  if (typeof value === "boolean") return ["flag", String(value)];
  if (value === null) return ["empty", ""];
  const line = JSON.stringify(value);
  return ["json", line.length <= SHORT ? line : JSON.stringify(value, null, 2)];
}

function readRows(given: readonly Row[]): OwnReading {
  const fields = new Map<string, Json>();
  const rowFaults = new Map<number, RowFault>();
  for (const row of given) {
    const name = row.name.trim();
    // Added, and not begun with.
    if (name === "" && row.type === "text" && row.text === "") continue;
    const nameFault = nameFaultOf(name) ?? (fields.has(name) ? texts.faults.twice : undefined);
    if (nameFault !== undefined) {
      rowFaults.set(row.key, { part: "name", text: nameFault });
      continue;
    }
    const { value, fault } = readRow(row);
    if (fault !== undefined) rowFaults.set(row.key, { part: "value", text: fault });
    fields.set(name, value);
  }
  return { ...none, fields, rowFaults };
}

/** What the service could not tell us: whatever else is wrong with a name, it will. */
function nameFaultOf(name: string): string | undefined {
  if (name === "") return texts.faults.unnamed;
  if (name === "name" || name === "email") return texts.faults.above;
  return managed.has(name) ? texts.faults.managed : undefined;
}

function readRow({ type, text }: Row): { readonly value: Json; readonly fault?: string } {
  if (type === "text") return { value: text };
  if (type === "empty") return { value: null };
  if (type === "flag") return { value: text === "true" };
  if (type === "json") {
    const found = readJsonText(text);
    return found.fault === undefined ? { value: found.value } : { value: null, fault: found.fault };
  }
  const digits = text.trim();
  if (!LOOKS_LIKE_NUMBER.test(digits)) return { value: null, fault: texts.faults.number };
  const number = readNumber(digits);
  return number === undefined ? { value: null, fault: texts.faults.inexact } : { value: number };
}

function readObject(text: string): OwnReading {
  // All of it deleted: no fields.
  if (text.trim() === "") return none;
  const found = readJsonText(text);
  if (found.fault !== undefined) return { ...none, jsonFault: found.fault };
  const { value, lines } = found;
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return { ...none, jsonFault: texts.json.place(1, 1, texts.json.object) };
  }
  const fields = new Map(Object.entries(value));
  for (const name of fields.keys()) {
    const fault = name === "" ? undefined : nameFaultOf(name);
    if (fault !== undefined) {
      return { ...none, lines, jsonFault: texts.json.line(lines.get(name) ?? 1, name, fault) };
    }
  }
  return { ...none, fields, lines };
}
