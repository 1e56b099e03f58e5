import type { Json, JsonObject } from "../../contract/json.ts";
import {
  booleanKey,
  fieldNames,
  indexRows,
  numberKey,
  OVERFLOW_ROW,
  textKey,
  valueKinds,
} from "./value-index.ts";

/** Values of the kinds before this one can be sorted: numbers, text, booleans. */
export const FIRST_UNSORTABLE_KIND = valueKinds.null;

type Row = { readonly [field: string]: Json };

/** The fields of the rows of a list. */
export interface RowFields {
  readonly managed: readonly string[];
  /** Those of the columns that callers write. */
  readonly writtenColumns: readonly string[];
}

/**
 * A function that finds a row's key in the order of a custom field, as the value index has it. The path is that of
 * `fieldPath`. A row has no key if the value cannot be sorted, or is in an object and not indexed.
 */
export function sortKeyFinder(path: string, fields: RowFields): (row: Row) => string | undefined {
  const names = fieldNames(path);
  return (row) => {
    const key = toKey(path, findMember(row, names));
    return key !== undefined && names.length > 1 && hasOverflow(row, fields) ? undefined : key;
  };
}

function findMember(row: Row, names: readonly string[]): Json | undefined {
  let value: Json | undefined = row;
  for (const name of names) {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
    value = Object.hasOwn(value, name) ? value[name] : undefined;
  }
  return value;
}

function toKey(path: string, value: Json | undefined): string | undefined {
  switch (typeof value) {
    case "number":
      return numberKey(value);
    case "string":
      return textKey(value, { path });
    case "boolean":
      return booleanKey(value);
    default:
      return undefined;
  }
}

/** Whether the row has too many values for the index. */
function hasOverflow(row: Row, { managed, writtenColumns }: RowFields): boolean {
  const record: JsonObject = { ...row };
  for (const field of managed) delete record[field];
  return indexRows(record, writtenColumns).includes(OVERFLOW_ROW);
}
