import type { Json } from "../../../client/index.ts";
import { user as texts } from "../../texts/index.ts";
import { checkFieldName } from "../fields.ts";
import { parseJson } from "../json-parser.ts";
import type { UserRecord } from "../record.ts";
import { parseTypedInput, type TypedInput, toTypedInput } from "../typed-input.ts";

/** One of the caller's own fields, as it is being typed. What was typed outlives a change of the type. */
export interface FieldRow extends TypedInput {
  /** Tells it from others, whatever they are called. */
  readonly key: number;
  readonly name: string;
}

/** The caller's own fields as they are being typed, in one form or the other. */
export type CustomFieldsDraft =
  | { readonly form: "rows"; readonly rows: readonly FieldRow[] }
  | { readonly form: "json"; readonly text: string };

export interface FieldRowError {
  /** What it is about; nobody knows of what the service says about a field. */
  readonly part: "name" | "value" | "either";
  readonly text: string;
}

interface ParsedCustomFields {
  readonly fields: UserRecord;
  /** By the key of the row. */
  readonly rowErrors: ReadonlyMap<number, FieldRowError>;
  readonly jsonError: string | undefined;
  /** Where each field stands in the JSON. */
  readonly lines: ReadonlyMap<string, number>;
}

const none: ParsedCustomFields = {
  fields: new Map(),
  rowErrors: new Map(),
  jsonError: undefined,
  lines: new Map(),
};
let rows = 0;

export function newRow(name = "", typed: TypedInput = { type: "text", text: "" }): FieldRow {
  return { key: ++rows, name, ...typed };
}

export function toCustomFieldsDraft(fields: UserRecord): CustomFieldsDraft {
  return { form: "rows", rows: [...fields].map(([name, value]) => newRow(name, toTypedInput(value))) };
}

/** What it comes to, and what is wrong with it. */
export function parseCustomFields(own: CustomFieldsDraft): ParsedCustomFields {
  return own.form === "rows" ? readRows(own.rows) : readObject(own.text);
}

/** The same in the other form; undefined as long as something is wrong with it. */
export function convertForm(own: CustomFieldsDraft): CustomFieldsDraft | undefined {
  const reading = parseCustomFields(own);
  if (!isValid(reading)) return undefined;
  return own.form === "json"
    ? toCustomFieldsDraft(reading.fields)
    : { form: "json", text: JSON.stringify(Object.fromEntries(reading.fields), null, 2) };
}

/** The same for what comes to the same: to see whether anything was changed. */
export function fingerprint(own: CustomFieldsDraft): string {
  const reading = parseCustomFields(own);
  return JSON.stringify(isValid(reading) ? [...reading.fields] : own);
}

export function isValid({ rowErrors, jsonError }: ParsedCustomFields): boolean {
  return rowErrors.size === 0 && jsonError === undefined;
}

function readRows(given: readonly FieldRow[]): ParsedCustomFields {
  const fields = new Map<string, Json>();
  const rowErrors = new Map<number, FieldRowError>();
  for (const row of given) {
    const name = row.name.trim();
    // Added, and not begun with.
    if (name === "" && row.type === "text" && row.text === "") continue;
    const nameError = fieldNameError(name) ?? (fields.has(name) ? texts.errors.twice : undefined);
    if (nameError !== undefined) {
      rowErrors.set(row.key, { part: "name", text: nameError });
      continue;
    }
    const { value, error } = parseTypedInput(row);
    if (error !== undefined) rowErrors.set(row.key, { part: "value", text: error });
    fields.set(name, value ?? null);
  }
  return { ...none, fields, rowErrors };
}

/** What the service could not tell us: whatever else is wrong with a name, it will. */
function fieldNameError(name: string): string | undefined {
  if (name === "") return texts.errors.unnamed;
  const error = checkFieldName(name);
  return error === "core" || error === "managed" ? texts.errors[error] : undefined;
}

function readObject(text: string): ParsedCustomFields {
  // All of it deleted: no fields.
  if (text.trim() === "") return none;
  const found = parseJson(text);
  if (found.error !== undefined) return { ...none, jsonError: found.error };
  const { value, lines } = found;
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return { ...none, jsonError: texts.json.place(1, 1, texts.json.object) };
  }
  const fields = new Map(Object.entries(value));
  for (const name of fields.keys()) {
    const error = name === "" ? undefined : fieldNameError(name);
    if (error !== undefined) {
      return { ...none, lines, jsonError: texts.json.line(lines.get(name) ?? 1, name, error) };
    }
  }
  return { ...none, fields, lines };
}
