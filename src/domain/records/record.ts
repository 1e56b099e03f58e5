import { isDeepStrictEqual } from "node:util";
import { isObject, type Json, type JsonObject } from "../../contract/json.ts";
import type { ValueRow } from "../lists/value-index.ts";
import type { RecordCheck, RecordLimits, RecordOfFields } from "./check-record.ts";

/** A stored record. Its JSON is written when it changes, and responses send it unchanged. */
export interface StoredRecord {
  readonly id: number;
  readonly version: number;
  readonly json: string;
}

/** When a record was created and changed, as text. */
export interface RecordTimes {
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** A change to a record: a whole new one, or a merge patch (RFC 7396). */
export type EditOf<Fields> = { readonly replace: Fields } | { readonly merge: { [field: string]: Json } };

/** Builds the JSON of a record, with the fields in the documented order. `facts` are members that the service adds, as JSON. */
export function renderRecord(
  id: number,
  fields: RecordOfFields,
  version: number,
  { createdAt, updatedAt }: RecordTimes,
  facts = "",
): StoredRecord {
  const inner = JSON.stringify(fields).slice(1, -1);
  return {
    id,
    version,
    json: `{"id":${id},${inner},${facts}"version":${version},"createdAt":"${createdAt}","updatedAt":"${updatedAt}"}`,
  };
}

/** Applies an edit. Returns undefined if it changes nothing. Fails if a patch makes the record invalid. */
export function applyEdit<Fields extends RecordOfFields>(
  current: Fields,
  edit: EditOf<Fields>,
  check: RecordCheck<Fields>,
  limits: RecordLimits,
): Fields | undefined {
  const next =
    "replace" in edit
      ? keepFieldOrder(check.startOf(edit.replace), current, edit.replace)
      : check.merged(mergePatch(current, edit.merge), limits);
  return isDeepStrictEqual(current, next) ? undefined : next;
}

/** Applies a merge patch (RFC 7396). Does not modify its arguments. */
export function mergePatch(target: Json, patch: Json): Json {
  if (!isObject(patch)) return patch;
  const merged: JsonObject = isObject(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key];
    else merged[key] = mergePatch(Object.hasOwn(merged, key) ? (merged[key] ?? null) : null, value);
  }
  return merged;
}

/** Keeps the order of existing fields, whatever order a PUT sends. `start` has the fields that come first; new fields come last. */
function keepFieldOrder<Fields extends RecordOfFields>(start: Fields, current: Fields, next: Fields): Fields {
  const ordered: RecordOfFields = start;
  for (const source of [current, next]) {
    for (const field of Object.keys(source)) {
      const value = Object.hasOwn(next, field) ? next[field] : undefined;
      if (value !== undefined) ordered[field] = value;
    }
  }
  return start;
}

/** What engines index for any record, besides its id and timestamps. */
export interface RecordTerms {
  readonly nameFold: string;
  readonly nameKey: string;
  readonly wordStarts: readonly string[];
  /** The values of custom fields. */
  readonly values: readonly ValueRow[];
}
