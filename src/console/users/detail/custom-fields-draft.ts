import type { Json } from "../../../client/index.ts";
import { user as texts } from "../../texts/index.ts";
import { nameFaultOf } from "../fields.ts";
import { readJsonText } from "../json-parser.ts";
import type { UserRecord } from "../record.ts";
import { readTyped, type TypedInput, typedOf } from "../typed-input.ts";

/** One of the caller's own fields, as it is being typed. What was typed outlives a change of the type. */
export interface FieldRow extends TypedInput {
  /** Tells it from others, whatever they are called. */
  readonly key: number;
  readonly name: string;
}

/** The caller's own fields as they are being typed, in one form or the other. */
export type Own =
  | { readonly form: "rows"; readonly rows: readonly FieldRow[] }
  | { readonly form: "json"; readonly text: string };

export interface RowFault {
  /** What it is about; nobody knows of what the service says about a field. */
  readonly part: "name" | "value" | "either";
  readonly text: string;
}

interface OwnReading {
  readonly fields: UserRecord;
  /** By the key of the row. */
  readonly rowFaults: ReadonlyMap<number, RowFault>;
  readonly jsonFault: string | undefined;
  /** Where each field stands in the JSON. */
  readonly lines: ReadonlyMap<string, number>;
}

const none: OwnReading = { fields: new Map(), rowFaults: new Map(), jsonFault: undefined, lines: new Map() };
let rows = 0;

export function newRow(name = "", typed: TypedInput = { type: "text", text: "" }): FieldRow {
  return { key: ++rows, name, ...typed };
}

export function ownOf(fields: UserRecord): Own {
  return { form: "rows", rows: [...fields].map(([name, value]) => newRow(name, typedOf(value))) };
}

/** What it comes to, and what is wrong with it. */
export function readOwn(own: Own): OwnReading {
  return own.form === "rows" ? readRows(own.rows) : readObject(own.text);
}

/** The same in the other form; undefined as long as something is wrong with it. */
export function inOtherForm(own: Own): Own | undefined {
  const reading = readOwn(own);
  if (!isSound(reading)) return undefined;
  return own.form === "json"
    ? ownOf(reading.fields)
    : { form: "json", text: JSON.stringify(Object.fromEntries(reading.fields), null, 2) };
}

/** The same for what comes to the same: to see whether anything was changed. */
export function signatureOf(own: Own): string {
  const reading = readOwn(own);
  return JSON.stringify(isSound(reading) ? [...reading.fields] : own);
}

export function isSound({ rowFaults, jsonFault }: OwnReading): boolean {
  return rowFaults.size === 0 && jsonFault === undefined;
}

function readRows(given: readonly FieldRow[]): OwnReading {
  const fields = new Map<string, Json>();
  const rowFaults = new Map<number, RowFault>();
  for (const row of given) {
    const name = row.name.trim();
    // Added, and not begun with.
    if (name === "" && row.type === "text" && row.text === "") continue;
    const nameFault = faultOfName(name) ?? (fields.has(name) ? texts.faults.twice : undefined);
    if (nameFault !== undefined) {
      rowFaults.set(row.key, { part: "name", text: nameFault });
      continue;
    }
    const { value, fault } = readTyped(row);
    if (fault !== undefined) rowFaults.set(row.key, { part: "value", text: fault });
    fields.set(name, value ?? null);
  }
  return { ...none, fields, rowFaults };
}

/** What the service could not tell us: whatever else is wrong with a name, it will. */
function faultOfName(name: string): string | undefined {
  if (name === "") return texts.faults.unnamed;
  const fault = nameFaultOf(name);
  return fault === "core" || fault === "managed" ? texts.faults[fault] : undefined;
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
    const fault = name === "" ? undefined : faultOfName(name);
    if (fault !== undefined) {
      return { ...none, lines, jsonFault: texts.json.line(lines.get(name) ?? 1, name, fault) };
    }
  }
  return { ...none, fields, lines };
}
