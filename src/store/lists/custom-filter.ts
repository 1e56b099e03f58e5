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
import { mergeSelects } from "./merge-selects.ts";
import { equalsAny, joinSql, type Sql } from "./sql.ts";

/**
 * The condition that a custom field, or an element of the array in it, has one of these texts: 3 and "3" have the same text.
 * The index has the spellings of a text side by side, and does not have the elements of a row with too many of them: an entry
 * of the index also has to pass a test.
 */
export function customFilter(
  dialect: Dialect,
  { table, customValues }: Pick<ListResource<never, never>, "table" | "customValues">,
  field: string,
  texts: readonly string[],
): Condition {
  if (!customValues) throw new Error(`${table} has no custom fields.`);
  const scalars = texts.flatMap(scalarsOf);
  const filter: CustomFilter = {
    values: dialect.table(customValues.table),
    owner: customValues.ownerColumn,
    field,
    elements: field + ELEMENT_MARKER,
    keys: padKeys(scalars.map(keyOf)),
    hasElement: {
      text: `EXISTS (SELECT 1 FROM ${dialect.table(table)} o WHERE o.id = v.${customValues.ownerColumn} AND ${dialect.arrayContains})`,
      values: [field, JSON.stringify(scalars)],
    },
  };
  const lists = entryLists(filter);
  return {
    test: testRow(filter),
    testsIdOnly: true,
    idLists: [
      (range) =>
        mergeSelects(
          dialect,
          range,
          lists.map((list) => selectEntries(filter, list, range)),
        ),
    ],
    selectIds: (range) =>
      dialect.mergeIds(
        lists.map((list) => selectEntries(filter, list, range, { where: list.test })),
        range.descending,
      ),
    selectBounded: (range, maxEntries) => selectAmong(dialect, filter, lists, range, maxEntries),
    count: (maxEntries) => countMatches(filter, maxEntries),
    exact: true,
    order: "known",
    selective: false,
  };
}

type Scalar = string | number | boolean | null;
type Key = Pick<ValueRow, "value" | "exact">;

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

/** No entry has this key. */
const ABSENT_KEY: Key = { value: "", exact: "" };
/** The keys of 100 texts. */
const MAX_KEYS = 200;

/** Few different numbers of keys are few prepared statements. */
function padKeys(keys: readonly Key[]): readonly Key[] {
  const size = Math.min(MAX_KEYS, 2 ** Math.ceil(Math.log2(keys.length)));
  return [...keys, ...Array.from({ length: Math.max(0, size - keys.length) }, () => ABSENT_KEY)];
}

interface CustomFilter {
  /** The table of the index. */
  readonly values: string;
  /** Its column with the id of the row that an entry `v` belongs to. */
  readonly owner: string;
  /** The names of the field and of its elements in the index. */
  readonly field: string;
  readonly elements: string;
  readonly keys: readonly Key[];
  /** Tests the elements of the row that the entry `v` belongs to. */
  readonly hasElement: Sql;
}

/** Entries of the index with one value, in order of id, and a test of the entry `v`. */
interface EntryList {
  readonly field: string;
  readonly value: string;
  readonly test: Sql;
}

/** The values and the elements with each key, and the rows whose elements are not indexed. */
function entryLists({ field, elements, keys, hasElement }: CustomFilter): EntryList[] {
  const lists = [field, elements].flatMap((name) =>
    keys.map((key) => ({ field: name, value: key.value, test: hasSpelling([key]) })),
  );
  return [...lists, { field: OVERFLOW_ROW.field, value: OVERFLOW_ROW.value, test: hasElement }];
}

function anyValue(keys: readonly Key[]): Sql {
  return equalsAny(
    "v.value",
    keys.map(({ value }) => value),
  );
}

/** Tests the spelling of an entry that has one of the keys' values. Joined, two keys are never the same text. */
function hasSpelling(keys: readonly Key[]): Sql {
  const [first] = keys;
  if (first && keys.length === 1) return { text: "v.exact = ?", values: [first.exact] };
  return equalsAny(
    "v.exact || v.value",
    keys.map(({ value, exact }) => exact + value),
  );
}

function selectEntries(
  { values, owner }: CustomFilter,
  { field, value }: EntryList,
  range: IdRange,
  { where, ok }: { readonly where?: Sql; readonly ok?: Sql } = {},
): Sql {
  const columns = ok ? joinSql(`SELECT v.${owner} AS id,`, ok, "AS ok") : `SELECT v.${owner} AS id`;
  const list = { text: `FROM ${values} v WHERE v.field = ? AND v.value = ? AND`, values: [field, value] };
  return addRange(range, `v.${owner}`, where ? joinSql(columns, list, where, "AND") : joinSql(columns, list));
}

/** The ids that match among the first entries. */
function selectAmong(
  dialect: Dialect,
  filter: CustomFilter,
  lists: readonly EntryList[],
  range: IdRange,
  maxEntries: number,
): Sql {
  const selects = lists.map((list) => selectEntries(filter, list, range, { ok: list.test }));
  const { text, values } = mergeSelects(dialect, range, selects);
  // A row has one key only once, but an array can have several.
  const columns = filter.keys.length > 1 ? "DISTINCT d.id" : "d.id";
  const order = dialect.repeatOrder(["id"], range.descending);
  return { text: `SELECT ${columns} FROM (${text} LIMIT ${maxEntries}) d WHERE d.ok ${order}`, values };
}

/** A row whose elements are not indexed has to be fetched: it counts as this many entries. */
const OVERFLOW_ENTRIES = 100;

/** A row has at most one value, but several elements. */
function countMatches(filter: CustomFilter, maxEntries: number): Sql {
  const { values, owner, field, elements, keys, hasElement } = filter;
  const firstEntries = (name: string, value: Sql, test: Sql, limit: number) =>
    joinSql(
      `SELECT v.${owner} AS id, CASE WHEN`,
      test,
      { text: `THEN 1 ELSE 0 END AS ok FROM ${values} v WHERE v.field = ? AND`, values: [name] },
      value,
      `LIMIT ${limit}`,
    );
  const overflow = { text: "v.value = ?", values: [OVERFLOW_ROW.value] };
  return joinSql(
    "SELECT coalesce(sum(ok), 0), coalesce(sum(entries), 0) FROM (SELECT ok, 1 AS entries FROM (",
    firstEntries(field, anyValue(keys), hasSpelling(keys), maxEntries + 1),
    ") d UNION ALL SELECT max(ok), count(*) FROM (",
    firstEntries(elements, anyValue(keys), hasSpelling(keys), maxEntries + 1),
    `) d GROUP BY id UNION ALL SELECT ok, ${OVERFLOW_ENTRIES} FROM (`,
    firstEntries(OVERFLOW_ROW.field, overflow, hasElement, Math.ceil(maxEntries / OVERFLOW_ENTRIES) + 1),
    ") d) d",
  );
}

/** Most fields never hold an array, and most tables have no row with too many elements: engines find out once per statement. */
function testRow({ values, owner, field, elements, keys, hasElement }: CustomFilter): Sql {
  const isUsed = (name: string): Sql => ({
    text: `EXISTS (SELECT 1 FROM ${values} v WHERE v.field = ?)`,
    values: [name],
  });
  const hasEntry = (name: string, value: Sql, test: Sql) =>
    joinSql(
      {
        text: `EXISTS (SELECT 1 FROM ${values} v WHERE v.${owner} = u.id AND v.field = ? AND`,
        values: [name],
      },
      value,
      "AND",
      test,
      ")",
    );
  const overflow = { text: "v.value = ?", values: [OVERFLOW_ROW.value] };
  return joinSql(
    "(",
    hasEntry(field, anyValue(keys), hasSpelling(keys)),
    "OR",
    isUsed(elements),
    "AND",
    hasEntry(elements, anyValue(keys), hasSpelling(keys)),
    "OR",
    isUsed(OVERFLOW_ROW.field),
    "AND",
    hasEntry(OVERFLOW_ROW.field, overflow, hasElement),
    ")",
  );
}
