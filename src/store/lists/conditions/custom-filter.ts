import type { Json } from "../../../contract/json.ts";
import { foldOf, isLikeEmail } from "../../../domain/field-fold.ts";
import {
  booleanKey,
  ELEMENT_MARKER,
  exactKey,
  numberKey,
  OVERFLOW_ROW,
  textKey,
  valueKinds,
} from "../../../domain/lists/value-index.ts";
import { ALWAYS, equalsAny, joinSql, type Sql } from "../../sql/sql.ts";
import type { Condition, Matches } from "../condition.ts";
import type { Dialect } from "../dialect.ts";
import { addRange, type IdRange } from "../id-range.ts";
import type { ListResource } from "../list-resource.ts";
import type { IndexUse } from "./known-entries.ts";
import { mergeSelects } from "./merge-selects.ts";

/**
 * The condition that a custom field, or an element of the array in it, has one of these texts: 3 and "3" have the same text.
 * Spellings are different texts, except in fields that are compared like emails.
 * The index has the spellings of a text side by side: an entry of the index also has to pass a test. It does not have the elements
 * of a row with too many of them: if there are such rows, `matchesTexts` has to test what the condition finds.
 */
export function customFilter(
  dialect: Dialect,
  { customValues }: Pick<ListResource, "customValues">,
  field: string,
  texts: readonly string[],
  use: IndexUse,
): Condition {
  const elements = field + ELEMENT_MARKER;
  const hasElements = use.hasElements(field);
  // Most fields hold either arrays or other values, and most texts that look like numbers are numbers.
  const usual = hasElements ? elements : field;
  const usedKeys = (name: string) =>
    padKeys(
      texts.flatMap((text) => {
        const keys = scalarsOf(text).map((scalar) => keyOf(field, scalar));
        return keys.filter(
          ({ value }, index) => (name === usual && index === keys.length - 1) || use.has(name, value),
        );
      }),
    );
  const filter: CustomFilter = {
    fence: dialect.optimizationFence,
    values: dialect.table(customValues.table),
    owner: customValues.ownerColumn,
    keys: usedKeys(field),
    elementKeys: hasElements ? usedKeys(elements) : [],
    field,
    hasOverflow: use.hasOverflow,
  };
  const lists = entryLists(filter);
  const only = lists.length === 1 ? lists[0] : undefined;
  const selects = (range: IdRange, part?: Part) =>
    lists.map((list) => selectEntries(filter, list, range, part));
  return {
    // A list with one filter does not need the test.
    get test() {
      return testRow(filter);
    },
    testsIdOnly: true,
    selectEntries: (range) => mergeSelects(dialect, range, selects(range)),
    selectIds: (range) => dialect.mergeIds(selects(range, "matches"), range.descending),
    selectBounded: (range, maxEntries) => {
      const { text, values } = mergeSelects(dialect, range, selects(range, "flagged"));
      // An array can have several of the keys, and a row with too many values can have a key besides.
      const isDistinct = filter.elementKeys.length <= 1 && !filter.hasOverflow;
      const columns = isDistinct ? "d.id" : "DISTINCT d.id";
      const order = dialect.repeatOrder(["id"], range.descending);
      return { text: `SELECT ${columns} FROM (${text} LIMIT ${maxEntries}) d WHERE d.ok ${order}`, values };
    },
    ...(!use.hasOverflow && {
      count: (maxEntries: number) => countMatches(filter, maxEntries),
    }),
    ...(only && { selectStretch: (range: IdRange) => selectEntries(filter, only, range, "matches") }),
    exact: !use.hasOverflow,
    order: "known",
    selective: false,
    source: field,
  };
}

/** Tests a row for a value or an element with one of these texts. */
export function matchesTexts(field: string, texts: readonly string[]): Matches {
  const fold = isLikeEmail(field) ? foldOf(field) : (text: string) => text;
  const wanted = new Set(texts.map(fold));
  const hasText = (value: Json): boolean => {
    if (Array.isArray(value)) return value.some(hasText);
    return (value === null || typeof value !== "object") && wanted.has(fold(String(value)));
  };
  return (row) => Object.hasOwn(row, field) && hasText(row[field] ?? null);
}

type Scalar = string | number | boolean | null;
/** A key of the index. Without `exact`, all entries with this value match: they have no other spelling, or it does not matter. */
interface Key {
  readonly value: string;
  readonly exact: string | undefined;
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

/** No other text becomes one of these texts when it is folded. */
const ONE_SPELLING = /^[\d.+-]{1,100}$/;

function keyOf(field: string, scalar: Scalar): Key {
  if (typeof scalar === "string") {
    const isSpelledOnce = isLikeEmail(field) || ONE_SPELLING.test(scalar);
    return {
      value: textKey(scalar, { path: field }),
      exact: isSpelledOnce ? undefined : exactKey(scalar),
    };
  }
  if (typeof scalar === "number") return { value: numberKey(scalar), exact: undefined };
  return { value: scalar === null ? valueKinds.null : booleanKey(scalar), exact: undefined };
}

/** No entry has this key. */
const ABSENT_KEY: Key = { value: "", exact: undefined };
/** The keys of 100 texts. */
const MAX_KEYS = 200;

/** Few different numbers of keys are few prepared statements. */
function padKeys(keys: readonly Key[]): readonly Key[] {
  if (keys.length === 0) return keys;
  const size = Math.min(MAX_KEYS, 2 ** Math.ceil(Math.log2(keys.length)));
  return [...keys, ...Array.from({ length: Math.max(0, size - keys.length) }, () => ABSENT_KEY)];
}

interface CustomFilter {
  /** Without it, PostgreSQL may read all entries of a value to test a few rows. */
  readonly fence: string;
  /** The table of the index. */
  readonly values: string;
  /** Its column with the id of the row that an entry `v` belongs to. */
  readonly owner: string;
  readonly field: string;
  /** The keys of values in the field. */
  readonly keys: readonly Key[];
  /** The keys of elements. */
  readonly elementKeys: readonly Key[];
  /** Whether there are rows whose elements are not indexed. */
  readonly hasOverflow: boolean;
}

/** Entries of the index with this name and one of these values, and a test of the entry `v`. */
interface EntryList {
  readonly field: string;
  readonly values: readonly string[];
  readonly test: Sql;
}

function entriesWith(field: string, keys: readonly Key[]): EntryList {
  return { field, values: keys.map(({ value }) => value), test: hasSpelling(keys) };
}

/** The rows whose elements are not indexed. */
function overflowEntries({ hasOverflow }: CustomFilter): EntryList[] {
  return hasOverflow ? [{ field: OVERFLOW_ROW.field, values: [OVERFLOW_ROW.value], test: ALWAYS }] : [];
}

/** Tests the spelling of an entry that has one of the keys' values. Joined, two keys are never the same text. */
function hasSpelling(keys: readonly Key[]): Sql {
  const [first] = keys;
  if (keys.every(({ exact }) => exact === undefined)) return ALWAYS;
  if (first && keys.length === 1) return { text: "v.exact = ?", values: [first.exact ?? ""] };
  return equalsAny(
    "v.exact || v.value",
    keys.map(({ value, exact = "" }) => exact + value),
  );
}

/** Lists of entries that the index has in order of id, at least one. */
function entryLists(filter: CustomFilter): EntryList[] {
  const { field, keys, elementKeys } = filter;
  const lists = [
    ...keys.map((key) => entriesWith(field, [key])),
    ...elementKeys.map((key) => entriesWith(field + ELEMENT_MARKER, [key])),
    ...overflowEntries(filter),
  ];
  return lists.length > 0 ? lists : [entriesWith(field, [ABSENT_KEY])];
}

/** Only the entries that match, or all entries with the column `ok`. */
type Part = "matches" | "flagged";

function selectEntries(
  filter: CustomFilter,
  { field, values, test }: EntryList,
  range: IdRange,
  part?: Part,
): Sql {
  const { owner } = filter;
  const id = `SELECT v.${owner} AS id`;
  const columns = part === "flagged" ? joinSql(`${id},`, test, "AS ok") : id;
  const from = joinSql(
    { text: `FROM ${filter.values} v WHERE v.field = ? AND`, values: [field] },
    equalsAny("v.value", values),
    "AND",
  );
  const select = part === "matches" ? joinSql(columns, from, test, "AND") : joinSql(columns, from);
  return addRange(range, `v.${owner}`, select);
}

/** In no order: the entries of several values are read without merging them. */
function countMatches(filter: CustomFilter, maxEntries: number): Sql {
  const { field, keys, elementKeys, owner } = filter;
  const first = ({ field: name, values, test }: EntryList, limit: number) =>
    joinSql(
      `FROM (SELECT v.${owner} AS id, CASE WHEN`,
      test,
      { text: `THEN 1 ELSE 0 END AS ok FROM ${filter.values} v WHERE v.field = ? AND`, values: [name] },
      equalsAny("v.value", values),
      `LIMIT ${limit}) d`,
    );
  const parts = [joinSql("SELECT ok, 1 AS entries", first(entriesWith(field, keys), maxEntries + 1))];
  if (elementKeys.length > 0) {
    const elements = entriesWith(field + ELEMENT_MARKER, elementKeys);
    parts.push(joinSql("UNION ALL SELECT max(ok), count(*)", first(elements, maxEntries + 1), "GROUP BY id"));
  }
  return joinSql("SELECT coalesce(sum(ok), 0), coalesce(sum(entries), 0) FROM (", ...parts, ") d");
}

function testRow(filter: CustomFilter): Sql {
  const { field, keys, elementKeys } = filter;
  const hasEntry = ({ field: name, values, test }: EntryList) =>
    joinSql(
      `OR EXISTS (SELECT 1 FROM ${filter.values} v WHERE v.${filter.owner} = u.id AND`,
      { text: "v.field = ? AND", values: [name] },
      equalsAny("v.value", values),
      "AND",
      test,
      `${filter.fence})`,
    );
  const lists = [
    entriesWith(field, keys),
    entriesWith(field + ELEMENT_MARKER, elementKeys),
    ...overflowEntries(filter),
  ];
  return joinSql("(FALSE", ...lists.filter(({ values }) => values.length > 0).map(hasEntry), ")");
}
