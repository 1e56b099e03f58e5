import {
  booleanKey,
  ELEMENT_MARKER,
  exactKey,
  numberKey,
  OVERFLOW_ROW,
  textKey,
  type ValueRow,
  valueKinds,
} from "../../domain/value-index.ts";
import type { Condition } from "./condition.ts";
import type { Dialect } from "./dialect.ts";
import { addRange, type IdRange } from "./id-range.ts";
import type { ListResource } from "./list-resource.ts";
import { equalsAny, joinSql, type Sql } from "./sql.ts";

type Scalar = string | number | boolean | null;
type Key = Pick<ValueRow, "value" | "exact">;

/**
 * The condition that a custom field, or an element of the array in it, has one of these values as its text: 3 and "3" have
 * the same text.
 */
export function customFilter(
  dialect: Dialect,
  { table, customValues }: Pick<ListResource<never, never>, "table" | "customValues">,
  field: string,
  texts: readonly string[],
): Condition {
  if (!customValues) throw new Error(`${table} has no custom fields.`);
  const scalars = texts.flatMap(scalarsOf);
  const keys = padKeys(scalars.map(keyOf));
  const lists: FilterLists = {
    rows: dialect.table(table),
    values: dialect.table(customValues.table),
    owner: customValues.ownerColumn,
    field,
    keys,
    contains: { text: dialect.arrayContains, values: [field, JSON.stringify(scalars)] },
  };
  const selectIds = (range: IdRange) => dialect.mergeIds(idSelects(lists, range), range.descending);
  return {
    test: testRow(lists),
    testsIdOnly: true,
    idLists: [selectIds],
    selectIds,
    exact: true,
    order: "known",
    selective: false,
  };
}

/** The values that have this text. */
function scalarsOf(text: string): Scalar[] {
  switch (text) {
    case "true":
      return [text, true];
    case "false":
      return [text, false];
    case "null":
      return [text, null];
  }
  const number = Number(text);
  return Number.isFinite(number) && String(number) === text ? [text, number] : [text];
}

function keyOf(scalar: Scalar): Key {
  if (typeof scalar === "string") return { value: textKey(scalar), exact: exactKey(scalar) };
  if (typeof scalar === "number") return { value: numberKey(scalar), exact: "" };
  return { value: scalar === null ? valueKinds.null : booleanKey(scalar), exact: "" };
}

/** No row has this key. */
const ABSENT_KEY: Key = { value: "", exact: "" };
const MAX_KEYS = 200;

/** Few different numbers of keys are few prepared statements. */
function padKeys(keys: readonly Key[]): readonly Key[] {
  const size = Math.min(MAX_KEYS, 2 ** Math.ceil(Math.log2(keys.length)));
  return [...keys, ...Array.from({ length: Math.max(0, size - keys.length) }, () => ABSENT_KEY)];
}

interface FilterLists {
  /** The table of the listed rows. */
  readonly rows: string;
  /** The table of their values. */
  readonly values: string;
  readonly owner: string;
  readonly field: string;
  readonly keys: readonly Key[];
  /** Tests the array in the JSON of the row `o`. */
  readonly contains: Sql;
}

/**
 * SELECTs of the ids that match: for each key those with this value, and those with this element, and those whose elements
 * are not indexed. A row is in two of them only if its array has several of the values.
 */
function idSelects({ rows, values, owner, field, keys, contains }: FilterLists, range: IdRange): Sql[] {
  const text = `SELECT ${owner} AS id FROM ${values} WHERE field = ? AND value = ? AND exact = ? AND`;
  const selects = [field, field + ELEMENT_MARKER].flatMap((name) =>
    keys.map(({ value, exact }) => addRange(range, owner, { text, values: [name, value, exact] })),
  );
  const overflow = { text, values: [OVERFLOW_ROW.field, OVERFLOW_ROW.value, OVERFLOW_ROW.exact] };
  const matchesRow = joinSql(`AND EXISTS (SELECT 1 FROM ${rows} o WHERE o.id = ${owner} AND`, contains, ")");
  return [...selects, joinSql(addRange(range, owner, overflow), matchesRow)];
}

/** Engines look up each value in the index, and then compare the spelling. Joined, two keys are never the same text. */
function equalsKey(keys: readonly Key[]): Sql {
  const values = equalsAny(
    "v.value",
    keys.map(({ value }) => value),
  );
  const joined = equalsAny(
    "v.exact || v.value",
    keys.map(({ value, exact }) => exact + value),
  );
  return joinSql(values, "AND", joined);
}

/** Most fields never hold an array, and few databases have users with too many values: engines find out once per statement. */
function testRow({ rows, values, owner, field, keys, contains }: FilterLists): Sql {
  const hasValue = (name: string): Sql =>
    joinSql(
      `EXISTS (SELECT 1 FROM ${values} v WHERE v.${owner} = u.id AND`,
      { text: "v.field = ? AND", values: [name] },
      equalsKey(keys),
      ")",
    );
  const isUsed = (name: string): Sql => ({
    text: `EXISTS (SELECT 1 FROM ${values} v WHERE v.field = ?)`,
    values: [name],
  });
  const elements = field + ELEMENT_MARKER;
  return joinSql(
    "(",
    hasValue(field),
    "OR",
    isUsed(elements),
    "AND",
    hasValue(elements),
    "OR",
    isUsed(OVERFLOW_ROW.field),
    "AND",
    {
      text: `EXISTS (SELECT 1 FROM ${values} v WHERE v.field = ? AND v.value = ? AND v.${owner} = u.id)`,
      values: [OVERFLOW_ROW.field, OVERFLOW_ROW.value],
    },
    `AND EXISTS (SELECT 1 FROM ${rows} o WHERE o.id = u.id AND`,
    contains,
    "))",
  );
}
