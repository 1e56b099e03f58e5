import { foldText } from "../../domain/fold.ts";
import type { Filter, ListQuery } from "../../domain/listing.ts";
import type { Dialect } from "./dialect.ts";
import { equalsAny, joinSql, type Sql, type SqlValue } from "./sql.ts";

/** Which part of the ids is asked for: those beyond `after` in the direction of the list, up to `last`. */
export interface IdRange {
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
  readonly testsIdOnly: boolean;
  /** SELECTs of one column `id`, each in order and each from an index: what passes is in all of them. */
  readonly idLists: readonly ((range: IdRange) => Sql)[];
  /** All the lists at once. */
  readonly selectIds: (range: IdRange) => Sql;
  /** Every user in `ids` passes: no test is needed. */
  readonly exact: boolean;
  /** Whether the engine knows of the order that `ids` are in, so that saying it once more costs nothing. */
  readonly sorted: boolean;
  /** There can only be a handful. */
  readonly selective: boolean;
}

export function buildConditions(dialect: Dialect, { filters, search }: ListQuery): Condition[] {
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
  const { users, values: table, indexHint: hint, optimizationFence: fence, unindexedId: plainId } = dialect;
  const few = (column: string, values: readonly SqlValue[]) => {
    const select = joinSql(`SELECT id FROM ${users} WHERE`, equalsAny(column, values), "AND");
    return oneList(equalsAny(`u.${column}`, values), (range) => selectInRange(range, plainId, select), {
      selective: true,
    });
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
        equalsAny("coalesce(u.name_key, u.name_fold)", filter.keys),
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
      return oneList(equalsAny(`u.${column}`, filter.numbers), (range) =>
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
        joinSql(
          `EXISTS (SELECT 1 FROM ${table} v WHERE v.user_id = u.id AND`,
          { text: "v.field = ?", values: [field] },
          "AND",
          equalsAny("v.value", values),
          `${fence})`,
        ),
        (range) =>
          anyOf(
            dialect,
            range,
            values.map((value) => beyond(range, "user_id", { text, values: [field, value] })),
          ),
        { testsIdOnly: true },
      );
    }
  }
}

function oneList(
  test: Sql,
  ids: (range: IdRange) => Sql,
  {
    exact = true,
    selective: few = false,
    testsIdOnly: testsId = false,
  }: Partial<Omit<Condition, "test" | "ids">> = {},
): Condition {
  return { test, testsIdOnly: testsId, idLists: [ids], selectIds: ids, exact, sorted: true, selective: few };
}

/** The SELECT, narrowed to the range and put in order. */
export function selectInRange(range: IdRange, column: string, select: Sql): Sql {
  const narrowed = beyond(range, column, select);
  return {
    text: `${narrowed.text} ORDER BY ${column} ${range.descending ? "DESC" : "ASC"}`,
    values: narrowed.values,
  };
}

function beyond({ descending, after, last }: IdRange, column: string, select: Sql): Sql {
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
function anyOf({ unionMember: member }: Dialect, { descending }: IdRange, selects: readonly Sql[]): Sql {
  const order = `ORDER BY id ${descending ? "DESC" : "ASC"}`;
  const [only, ...others] = selects;
  if (only && others.length === 0) return { text: `${only.text} ${order}`, values: only.values };
  return {
    text: `${selects.map(({ text }) => member(text, order)).join(" UNION ALL ")} ${order}`,
    values: selects.flatMap(({ values }) => values),
  };
}
