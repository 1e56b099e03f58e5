import { foldText } from "../../domain/fold.ts";
import type { Filter, ListQuery } from "../../domain/listing.ts";
import type { Dialect } from "./dialect.ts";
import { isAnyOf, joined, type Sql, type Value } from "./sql.ts";

/** Which part of the ids is asked for: those beyond `after` in the direction of the list, up to `last`. */
export interface Range {
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
  /** Whether the test looks at nothing of the user but its id. */
  readonly testsId: boolean;
  /** SELECTs of one column `id`, each in order and each from an index: what passes is in all of them. */
  readonly lists: readonly ((range: Range) => Sql)[];
  /** All the lists at once. */
  readonly ids: (range: Range) => Sql;
  /** Every user in `ids` passes: no test is needed. */
  readonly exact: boolean;
  /** Whether the engine knows of the order that `ids` are in, so that saying it once more costs nothing. */
  readonly sorted: boolean;
  /** There can only be a handful. */
  readonly few: boolean;
}

export function conditionsOf(dialect: Dialect, { filters, search }: ListQuery): Condition[] {
  const conditions = filters.map((filter) => filterCondition(dialect, filter));
  if (search !== undefined) conditions.push(dialect.search(search));
  return conditions;
}

const numbered = {
  version: ["version", "users_by_version"],
  createdAt: ["created_at", "users_by_creation"],
  updatedAt: ["updated_at", "users_by_update"],
} as const;

function filterCondition(dialect: Dialect, filter: Filter): Condition {
  const { users, values: table, hint, fence, plainId } = dialect;
  const few = (column: string, values: readonly Value[]) => {
    const select = joined(`SELECT id FROM ${users} WHERE`, isAnyOf(column, values), "AND");
    return oneList(isAnyOf(`u.${column}`, values), (range) => within(range, plainId, select), { few: true });
  };
  switch (filter.on) {
    case "id":
      return few("id", filter.ids);
    case "email":
      return few("email_key", filter.keys);
    case "name": {
      const folds = [...new Set(filter.keys.map(foldText))];
      const text = `SELECT id FROM ${users} ${hint("users_by_name")} WHERE name_fold = ? AND`;
      return oneList(
        isAnyOf("coalesce(u.name_key, u.name_fold)", filter.keys),
        (range) =>
          anyOf(
            dialect,
            range,
            folds.map((fold) => beyond(range, "id", { text, values: [fold] })),
          ),
        { exact: false },
      );
    }
    case "version":
    case "createdAt":
    case "updatedAt": {
      const [column, index] = numbered[filter.on];
      const text = `SELECT id FROM ${users} ${hint(index)} WHERE ${column} = ? AND`;
      return oneList(isAnyOf(`u.${column}`, filter.numbers), (range) =>
        anyOf(
          dialect,
          range,
          filter.numbers.map((number) => beyond(range, "id", { text, values: [number] })),
        ),
      );
    }
    case "value": {
      const { field, values } = filter;
      const text = `SELECT user_id AS id FROM ${table} WHERE field = ? AND value = ? AND`;
      return oneList(
        joined(
          `EXISTS (SELECT 1 FROM ${table} v WHERE v.user_id = u.id AND`,
          { text: "v.field = ?", values: [field] },
          "AND",
          isAnyOf("v.value", values),
          `${fence})`,
        ),
        (range) =>
          anyOf(
            dialect,
            range,
            values.map((value) => beyond(range, "user_id", { text, values: [field, value] })),
          ),
        { testsId: true },
      );
    }
  }
}

function oneList(
  test: Sql,
  ids: (range: Range) => Sql,
  { exact = true, few = false, testsId = false }: Partial<Omit<Condition, "test" | "ids">> = {},
): Condition {
  return { test, testsId, lists: [ids], ids, exact, sorted: true, few };
}

/** The SELECT, narrowed to the range and put in order. */
export function within(range: Range, column: string, select: Sql): Sql {
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

/**
 * Several lists, each in order and none with an id of another's, merged into one: engines run them side by side and
 * stop when they have enough.
 */
function anyOf({ member }: Dialect, { descending }: Range, selects: readonly Sql[]): Sql {
  const order = `ORDER BY id ${descending ? "DESC" : "ASC"}`;
  const [only, ...others] = selects;
  if (only && others.length === 0) return { text: `${only.text} ${order}`, values: only.values };
  return {
    text: `${selects.map(({ text }) => member(text, order)).join(" UNION ALL ")} ${order}`,
    values: selects.flatMap(({ values }) => values),
  };
}
