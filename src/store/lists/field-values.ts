import {
  type CountedFieldValue,
  type CustomField,
  type FieldValue,
  fieldLimits,
  fieldTypes,
} from "../../contract/users/field-schemas.ts";
import { decodeValue, textAfterPrefix } from "../../domain/lists/indexed-value.ts";
import { ELEMENT_MARKER, textKey, valueKinds } from "../../domain/lists/value-index.ts";
import type { Sql } from "../sql/sql.ts";
import type { SqlSteps } from "../sql/sql-steps.ts";
import type { Dialect } from "./dialect.ts";
import type { CustomValues } from "./list-resource.ts";

// Skip scans of the index of custom fields: each step seeks the next kind of values or the next value, past all rows of the last.

/** Sorts before all fields, except the overflow row. */
const FIRST_FIELD = "A";
/** Sorts after all paths inside of a field, and before any longer name. */
const AFTER_PATHS = "/";
/** Makes the text that follows a value in the order. */
const AFTER_VALUE = "\u0001";

const ENTRIES_PER_STEP = 1000;

const typesByKind: Readonly<Record<string, (typeof fieldTypes)[number]>> = {
  [valueKinds.number]: "number",
  [valueKinds.text]: "string",
  [valueKinds.boolean]: "boolean",
  [valueKinds.null]: "null",
  [valueKinds.object]: "object",
};

/** Finds the top-level custom fields and the types of their values. */
export function* findFields(dialect: Dialect, { table }: CustomValues): SqlSteps<CustomField[]> {
  const types = new Map<string, Set<string>>();
  let start: Start = { field: FIRST_FIELD, kind: "" };
  for (;;) {
    const rows = yield selectEntries(dialect, table, start);
    for (const row of rows) {
      const kind = String(row[0]).charAt(0);
      const path = String(row[0]).slice(1);
      const [name = ""] = /^\w+/.exec(path) ?? [];
      if (types.size === fieldLimits.fields && !types.has(name)) return toFields(types);
      const type = path === name ? typesByKind[kind] : path === name + ELEMENT_MARKER && "array";
      const known = types.get(name) ?? new Set();
      if (type) types.set(name, known.add(type));
      start = path.includes(".")
        ? { field: name + AFTER_PATHS, kind: "" }
        : { field: path, kind: String(Number(kind) + 1) };
    }
    if (rows.length < ENTRIES_PER_STEP) return toFields(types);
  }
}

function toFields(types: ReadonlyMap<string, ReadonlySet<string>>): CustomField[] {
  return Array.from(types, ([name, found]) => ({
    name,
    types: fieldTypes.filter((type) => found.has(type)),
  }));
}

/** Where the next entry of the index can be. */
interface Start {
  readonly field: string;
  readonly kind: string;
}

/**
 * The next entries: the kind of a row and its field, as one text. There is one for each kind of a field's own values and of
 * its elements, and one for all other values inside of it.
 */
function selectEntries({ table, position }: Dialect, name: string, { field, kind }: Start): Sql {
  const next = (nextField: string, nextKind: string) => `
    (SELECT substr(value, 1, 1) || field FROM ${table(name)}
     WHERE (field, value) >= (${nextField}, ${nextKind}) ORDER BY field, value LIMIT 1)`;
  const dot = `${position}(entry, '.')`;
  return {
    text: `WITH RECURSIVE entries (entry, number) AS (
             SELECT ${next("?", "?")}, 1
             UNION ALL
             SELECT ${next(
               `CASE ${dot} WHEN 0 THEN substr(entry, 2) ELSE substr(entry, 2, ${dot} - 2) || '${AFTER_PATHS}' END`,
               `CASE ${dot} WHEN 0 THEN CAST(CAST(substr(entry, 1, 1) AS integer) + 1 AS text) ELSE '' END`,
             )}, number + 1
             FROM entries WHERE entry IS NOT NULL AND number < ${ENTRIES_PER_STEP}
           )
           SELECT entry FROM entries WHERE entry IS NOT NULL ORDER BY number`,
    values: [field, kind],
  };
}

/** The most values to examine for one list: long texts are left out of it. */
const MAX_EXAMINED = 10 * fieldLimits.values;

/** Finds the first values of a field, elements of arrays included; with a prefix, only texts that start with it. */
export function* findFieldValues(...search: Parameters<typeof findKeys>): SqlSteps<FieldValue[]> {
  return [...(yield* findKeys(...search)).values()];
}

/** Finds the first values of a field, each with the number of rows that have it. */
export function* countFieldValues(
  dialect: Dialect,
  customValues: CustomValues,
  field: string,
  prefix: string,
): SqlSteps<CountedFieldValue[]> {
  const found = yield* findKeys(dialect, customValues, field, prefix);
  if (found.size === 0) return [];
  const limit = Math.min(fieldLimits.count, Math.floor(fieldLimits.countedEntries / found.size));
  const rows = yield countKeys(dialect, customValues, { field, keys: [...found.keys()], limit });
  const counts = new Map(rows.map(([key, counted]) => [String(key), String(counted).split(" ").map(Number)]));
  return Array.from(found, ([key, value]) => {
    const [entries = 0, owners = 0] = counts.get(key) ?? [];
    return { value, count: Math.min(owners, limit), capped: entries > limit };
  });
}

/** How many of the first entries of each value there are, one more than the limit at most, and how many owners they have. */
function countKeys(
  dialect: Dialect,
  { table: name, ownerColumn }: CustomValues,
  {
    field,
    keys,
    limit,
  }: { readonly field: string; readonly keys: readonly string[]; readonly limit: number },
): Sql {
  const entries = `SELECT ${ownerColumn} FROM ${dialect.table(name)} v WHERE v.field = ? AND v.value = found.value`;
  // An array can have a value in several spellings. A value can be that of one user and an element of another user's array.
  return {
    text: `WITH found (value) AS (VALUES ${keys.map(() => "(?)").join(", ")})
           SELECT value, (SELECT count(*) || ' ' || count(DISTINCT ${ownerColumn})
                          FROM (${entries} UNION ALL ${entries} LIMIT ${limit + 1}) e)
           FROM found`,
    values: [...keys, field, field + ELEMENT_MARKER],
  };
}

/** The first values of a field, by their keys in the index. */
function* findKeys(
  dialect: Dialect,
  customValues: CustomValues,
  field: string,
  prefix: string,
): SqlSteps<Map<string, FieldValue>> {
  const found = new Map<string, FieldValue>();
  let start: string = prefix === "" ? valueKinds.number : textKey(prefix, { path: field });
  const end = prefix === "" ? valueKinds.null : textAfterPrefix(start);
  for (let examined = 0; examined < MAX_EXAMINED; examined += fieldLimits.values) {
    const rows = yield selectValues(dialect, customValues, { field, start, end });
    for (const row of rows) {
      const value = String(row[0]);
      const decoded = decodeValue({ value, exact: String(row[1]) });
      if (decoded !== undefined) found.set(value, decoded);
      if (found.size === fieldLimits.values) return found;
      start = value + AFTER_VALUE;
    }
    if (rows.length < fieldLimits.values) return found;
  }
  return found;
}

/** The next different values, each with the spelling of the row with the lowest id. */
function selectValues(
  dialect: Dialect,
  { table: name, ownerColumn }: CustomValues,
  { field, start, end }: { readonly field: string; readonly start: string; readonly end: string },
): Sql {
  const table = dialect.table(name);
  const elements = field + ELEMENT_MARKER;
  const firstOf = (after: string) => `
    SELECT value FROM (SELECT value FROM ${table} WHERE field = ? AND value ${after} AND value < ?
                       ORDER BY value LIMIT 1) v`;
  // A value has rows of scalars, rows of elements, or both.
  const first = (after: string) => `
    (SELECT min(value) FROM (${firstOf(after)} UNION ALL ${firstOf(after)}) w)`;
  const exact = `
    (SELECT exact FROM ${table} v WHERE v.field = ? AND v.value = found.value ORDER BY ${ownerColumn}, exact LIMIT 1)`;
  return {
    text: `WITH RECURSIVE found (value, number) AS (
             SELECT ${first(">= ?")}, 1
             UNION ALL
             SELECT ${first("> found.value")}, number + 1 FROM found
             WHERE value IS NOT NULL AND number < ${fieldLimits.values}
           )
           SELECT value, coalesce(${exact}, ${exact}) FROM found WHERE value IS NOT NULL ORDER BY number`,
    values: [field, start, end, elements, start, end, field, end, elements, end, field, elements],
  };
}
