import type { Json } from "../../../client/index.ts";
import { userRecordFields } from "../../../contract/users/user-fields.ts";
import { type FieldInput, showsDefault } from "../../fields/field-input.ts";
import type { FieldSpec } from "../../fields/field-spec.ts";
import { user as texts } from "../../texts/index.ts";
import { parseJson } from "../json-parser.ts";
import type { KnownFields, UserRecord } from "../record.ts";
import { parseTypedInput, type TypedInput, toTypedInput } from "../typed-input.ts";

/** A custom field while it is edited. Changing the type keeps the text. */
export interface FieldRow extends TypedInput {
  /** Unique and stable, unlike the name. */
  readonly key: number;
  readonly name: string;
  /** Whether the person adds it now: then it stays where it is typed, also if the schema describes a field of this name. */
  readonly isAdded?: boolean;
}

/** Custom fields while they are edited: as rows or as JSON text. */
export type CustomFieldsDraft =
  | { readonly form: "rows"; readonly rows: readonly FieldRow[] }
  | { readonly form: "json"; readonly text: string };

export interface FieldRowError {
  /** "either" for errors of the service, which don't say whether the name or the value is wrong. */
  readonly part: "name" | "value" | "either";
  readonly text: string;
}

interface ParsedCustomFields {
  readonly fields: UserRecord;
  /** Errors by row key. */
  readonly rowErrors: ReadonlyMap<number, FieldRowError>;
  readonly jsonError: string | undefined;
  /** Line number of each field in the JSON text. */
  readonly lines: ReadonlyMap<string, number>;
}

const none: ParsedCustomFields = {
  fields: new Map(),
  rowErrors: new Map(),
  jsonError: undefined,
  lines: new Map(),
};
let lastKey = 0;

export function newRow(name = "", typed: TypedInput = { type: "text", text: "" }): FieldRow {
  return { key: ++lastKey, name, ...typed };
}

export function toCustomFieldsDraft(fields: UserRecord): CustomFieldsDraft {
  return { form: "rows", rows: [...fields].map(([name, value]) => newRow(name, toTypedInput(value))) };
}

/** The row of a field that the schema describes, if it has a value. */
export function findRow(rows: readonly FieldRow[], name: string): FieldRow | undefined {
  return rows.find((row) => row.name === name && !row.isAdded);
}

/** The rows with another value of a field that the schema describes. Undefined removes the field. */
export function setField(rows: readonly FieldRow[], name: string, input: FieldInput): readonly FieldRow[] {
  const row = findRow(rows, name);
  if (input === undefined) return rows.filter((other) => other !== row);
  const { type, text, isPartial } = input;
  const typed: TypedInput = { type, text, ...(isPartial && { isPartial }) };
  if (!row) return [...rows, newRow(name, typed)];
  return rows.map((other) => (other === row ? { key: row.key, name, ...typed } : other));
}

/** What the form of a new user shows for a field that nobody has filled in. */
export function initialInput(spec: FieldSpec): FieldInput {
  const value = showsDefault(spec.control) ? (spec.default ?? initialValue(spec)) : undefined;
  return value === undefined ? undefined : toTypedInput(value);
}

/** A switch is off until someone turns it on. The service adds defaults itself. */
export function addInitialValues(record: UserRecord, specs: readonly FieldSpec[]): UserRecord {
  const complete = new Map(record);
  for (const spec of specs) {
    const value = initialValue(spec);
    if (value !== undefined && !record.has(spec.name)) complete.set(spec.name, value);
  }
  return complete;
}

/** The required fields that a new user would lack. */
export function findMissing(record: UserRecord, specs: readonly FieldSpec[]): readonly FieldSpec[] {
  return specs.filter(
    (spec) =>
      spec.required &&
      !record.has(spec.name) &&
      spec.default === undefined &&
      initialValue(spec) === undefined,
  );
}

function initialValue({ control, required, default: value }: FieldSpec): Json | undefined {
  return control === "switch" && required && value === undefined ? false : undefined;
}

/** The fields and errors of a draft. */
export function parseCustomFields(
  draft: CustomFieldsDraft,
  known: KnownFields = userRecordFields,
): ParsedCustomFields {
  return draft.form === "rows" ? readRows(draft.rows, known) : readObject(draft.text, known);
}

/** Converts rows to JSON text or back. Undefined while the draft is invalid. */
export function convertForm(draft: CustomFieldsDraft, known?: KnownFields): CustomFieldsDraft | undefined {
  const parsed = parseCustomFields(draft, known);
  if (!isValid(parsed)) return undefined;
  return draft.form === "json"
    ? toCustomFieldsDraft(parsed.fields)
    : { form: "json", text: JSON.stringify(Object.fromEntries(parsed.fields), null, 2) };
}

/** Equal for drafts with equal fields: shows whether something changed. */
export function fingerprint(draft: CustomFieldsDraft, known?: KnownFields): string {
  const parsed = parseCustomFields(draft, known);
  return JSON.stringify(isValid(parsed) ? [...parsed.fields] : draft);
}

export function isValid({ rowErrors, jsonError }: ParsedCustomFields): boolean {
  return rowErrors.size === 0 && jsonError === undefined;
}

function readRows(rows: readonly FieldRow[], known: KnownFields): ParsedCustomFields {
  const fields = new Map<string, Json>();
  const rowErrors = new Map<number, FieldRowError>();
  for (const row of rows) {
    const name = row.name.trim();
    // Skip a row that was added but not filled in.
    if (name === "" && row.type === "text" && row.text === "") continue;
    const nameError = fieldNameError(name, known) ?? (fields.has(name) ? texts.errors.duplicate : undefined);
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

/** Only errors that the service can't report. It reports all other invalid names. */
function fieldNameError(name: string, known: KnownFields): string | undefined {
  if (name === "") return texts.errors.unnamed;
  if (known.isManaged(name)) return texts.errors.managed;
  if (known.isCustom(name)) return undefined;
  return name === "scim" ? texts.errors.scim : texts.errors.core;
}

function readObject(text: string, known: KnownFields): ParsedCustomFields {
  // Empty text means no fields.
  if (text.trim() === "") return none;
  const found = parseJson(text);
  if (found.error !== undefined) return { ...none, jsonError: found.error };
  const { value, lines } = found;
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return { ...none, jsonError: texts.json.place(1, 1, texts.json.object) };
  }
  const fields = new Map(Object.entries(value));
  for (const name of fields.keys()) {
    const error = name === "" ? undefined : fieldNameError(name, known);
    if (error !== undefined) {
      return { ...none, lines, jsonError: texts.json.line(lines.get(name) ?? 1, name, error) };
    }
  }
  return { ...none, fields, lines };
}
