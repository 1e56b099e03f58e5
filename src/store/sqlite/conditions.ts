import { foldText } from "../../domain/fold.ts";
import type { Filter, ListQuery } from "../../domain/listing.ts";
import { quoted, searchTerms } from "./search-text.ts";

export type Value = string | number | null;

export interface Sql {
  readonly text: string;
  readonly values: readonly Value[];
}

/** Which part of the ids is asked for: those beyond `after` in the direction of the list, up to `last`. */
interface Range {
  readonly descending: boolean;
  readonly after: number | undefined;
  readonly last: number | undefined;
}

/**
 * One condition of a list, in two forms: a test of the user `u`, and an index that gives the ids of the users that
 * pass it, in order of id.
 */
export interface Condition {
  readonly test: Sql;
  /** SELECTs of one column `id`, each in order and each from an index: what passes is in all of them. */
  readonly lists: readonly ((range: Range) => Sql)[];
  /** All the lists at once. */
  readonly ids: (range: Range) => Sql;
  /** Every user in `ids` passes: no test is needed. */
  readonly exact: boolean;
  /** There can only be a handful. */
  readonly few: boolean;
}

export function conditionsOf({ filters, search }: ListQuery): Condition[] {
  const conditions = filters.map(filterCondition);
  if (search !== undefined) conditions.push(searchCondition(search));
  return conditions;
}

const numbered = {
  version: ["version", "users_by_version"],
  createdAt: ["created_at", "users_by_creation"],
  updatedAt: ["updated_at", "users_by_update"],
} as const;

function filterCondition(filter: Filter): Condition {
  switch (filter.on) {
    case "id":
      return oneList(
        isAnyOf("u.id", filter.ids),
        (range) =>
          within(range, "id", joined("SELECT id FROM users WHERE", isAnyOf("id", filter.ids), "AND")),
        { few: true },
      );
    case "email":
      return oneList(
        isAnyOf("u.email_key", filter.keys),
        (range) =>
          within(range, "id", joined("SELECT id FROM users WHERE", isAnyOf("email_key", filter.keys), "AND")),
        { few: true },
      );
    case "name": {
      const folds = [...new Set(filter.keys.map(foldText))];
      const select = { text: "SELECT id FROM users INDEXED BY users_by_name WHERE name_fold = ? AND" };
      return oneList(
        isAnyOf("coalesce(u.name_key, u.name_fold)", filter.keys),
        (range) =>
          anyOf(
            range,
            folds.map((fold) => beyond(range, "id", { ...select, values: [fold] })),
          ),
        { exact: false },
      );
    }
    case "version":
    case "createdAt":
    case "updatedAt": {
      const [column, index] = numbered[filter.on];
      const select = { text: `SELECT id FROM users INDEXED BY ${index} WHERE ${column} = ? AND` };
      return oneList(isAnyOf(`u.${column}`, filter.numbers), (range) =>
        anyOf(
          range,
          filter.numbers.map((number) => beyond(range, "id", { ...select, values: [number] })),
        ),
      );
    }
    case "value": {
      const { field, values } = filter;
      const select = { text: "SELECT user_id AS id FROM user_values WHERE field = ? AND value = ? AND" };
      return oneList(
        joined(
          "EXISTS (SELECT 1 FROM user_values v WHERE v.user_id = u.id AND",
          { text: "v.field = ?", values: [field] },
          "AND",
          isAnyOf("v.value", values),
          ")",
        ),
        (range) =>
          anyOf(
            range,
            values.map((value) => beyond(range, "user_id", { ...select, values: [field, value] })),
          ),
      );
    }
  }
}

function searchCondition(search: string): Condition {
  const { trigrams, start } = searchTerms(search);
  const matching = (match: string) => (range: Range) =>
    within(range, "rowid", {
      text: "SELECT rowid AS id FROM user_search WHERE user_search MATCH ? AND",
      values: [match],
    });
  return {
    test:
      start === undefined
        ? { text: "(instr(u.name_fold, ?) OR instr(u.email_fold, ?))", values: [search, search] }
        : { text: "instr(u.word_starts, ?)", values: [start] },
    lists: trigrams.map((trigram) => matching(quoted(trigram))),
    ids: matching(trigrams.map(quoted).join(" AND ")),
    exact: trigrams.length === 1 && [...search].length <= 3,
    few: false,
  };
}

function oneList(
  test: Sql,
  ids: (range: Range) => Sql,
  { exact = true, few = false }: { exact?: boolean; few?: boolean } = {},
): Condition {
  return { test, lists: [ids], ids, exact, few };
}

function isAnyOf(column: string, values: readonly Value[]): Sql {
  if (values.length === 0) return { text: "FALSE", values };
  return { text: values.length === 1 ? `${column} = ?` : `${column} IN (${values.map(() => "?")})`, values };
}

function joined(...parts: readonly (string | Sql)[]): Sql {
  return {
    text: parts.map((part) => (typeof part === "string" ? part : part.text)).join(" "),
    values: parts.flatMap((part) => (typeof part === "string" ? [] : part.values)),
  };
}

/** The SELECT, narrowed to the range and put in order. */
function within(range: Range, column: string, select: Sql): Sql {
  const narrowed = beyond(range, column, select);
  return {
    text: `${narrowed.text} ORDER BY ${column} ${range.descending ? "DESC" : "ASC"}`,
    values: narrowed.values,
  };
}

function beyond({ descending, after, last }: Range, column: string, select: Sql): Sql {
  const low = descending ? last : after;
  const high = descending ? after : last;
  // Always bounded on both sides, so that the text, and with it the prepared statement, stays the same.
  return {
    text: `${select.text} ${column} ${descending ? ">=" : ">"} ? AND ${column} ${descending ? "<" : "<="} ?`,
    values: [...select.values, low ?? 0, high ?? Number.MAX_SAFE_INTEGER],
  };
}

/** Several lists, each in order, merged into one: SQLite runs them side by side and stops when it has enough. */
function anyOf({ descending }: Range, selects: readonly Sql[]): Sql {
  return {
    text: `${selects.map(({ text }) => text).join(" UNION ")} ORDER BY id ${descending ? "DESC" : "ASC"}`,
    values: selects.flatMap(({ values }) => values),
  };
}
