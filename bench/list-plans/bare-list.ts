import { isWordStart, searchedWords } from "../../src/domain/lists/searched-words.ts";
import { allOf, joinSql, type Sql, type SqlValue, sql } from "../../src/store/sql/sql.ts";

/** One condition on the row `u` as bare SQL, and the ways to read the rows from an index. */
interface BareTest {
  readonly test: Sql;
  readonly indexes: readonly BareIndex[];
}

interface BareIndex {
  /** The SQL after FROM that reads `u` from the index. */
  readonly from: string;
  /** The condition in the form that the index knows. */
  readonly test: Sql;
  /** The id as the index has it: an index in order of id is then read in order. */
  readonly id: string;
  /** PostgreSQL reads the index into a bitmap of rows. */
  readonly isBitmap?: boolean;
}

/** An order as bare SQL. */
interface BareOrder {
  /** The column of `u` that comes before the id; undefined in order of id. */
  readonly key?: string;
  /** The id as the index of the order has it. */
  readonly id: string;
  /** The SQL after FROM that reads the rows in this order. */
  readonly from: string;
  /** A condition that every sample user meets, and that the index of the order needs. */
  readonly where?: string;
}

/** How an engine's bare SQL differs. */
export interface BareDialect {
  /** Stored JSON of `u`. */
  readonly json: string;
  /** Reads the number of all users. */
  readonly countAll: string;
  /** Undefined if no index has this order. */
  order(field: string): BareOrder | undefined;
  /** The column of an order as an expression that is in no index. */
  unindexed(key: string): string;
  /** A custom field compared with values, such as `> ?` or `IN (?, ?)`. */
  compare(field: string, comparison: string, ...values: SqlValue[]): BareTest;
  /** The name or the email contains every word. */
  contains(words: readonly string[]): BareTest;
  /** The user is a member of the group. */
  belongsTo(group: number): BareTest;
}

/** The custom fields that bare SQL has an index for, and the type of their values. */
export type IndexedFields = Readonly<Record<string, "text" | "integer">>;

/** The tests of a kind that its query string does not tell, in the SQL of an engine. */
export type BareKind = (dialect: BareDialect) => readonly BareTest[];

/** One way to find a list with one statement for the page, and one for the count if the list has a count. */
export interface BarePlan {
  readonly name: "scan" | "index";
  readonly isBitmap: boolean;
  readonly page: Sql;
  readonly count: Sql | undefined;
}

/** A plan before its statements are built. `columns` are those of the order. */
interface PlanParts extends Pick<BarePlan, "name">, Pick<BareIndex, "isBitmap"> {
  readonly from: string;
  readonly conditions: readonly Sql[];
  readonly columns: readonly string[];
}

/** Filtered lists are counted up to this number. */
const COUNT_LIMIT = 100_000;
const reserved = new Set(["sort", "limit", "offset", "count", "q", "filter", "fields", "group"]);

/**
 * The plans that a list is compared with: a scan in the order of the list, and each index of a condition. Undefined if the
 * query has a filter expression and `kind` does not say what it means, or if no index has the order.
 */
export function barePlans(
  dialect: BareDialect,
  queryString: string,
  kind?: BareKind,
): BarePlan[] | undefined {
  const parameters = new URLSearchParams(queryString);
  const tests = kind?.(dialect) ?? testsOf(dialect, parameters);
  const sort = parameters.get("sort") ?? "id";
  const isDescending = sort.startsWith("-");
  const order = dialect.order(isDescending ? sort.slice(1) : sort);
  if (!tests || !order) return undefined;
  const direction = isDescending ? "DESC" : "ASC";
  const limit = Number(parameters.get("limit") ?? 100);
  const offset = Number(parameters.get("offset") ?? 0);
  const bounds = `LIMIT ${limit + 1}${offset > 0 ? ` OFFSET ${offset}` : ""}`;
  const plan = ({ name, isBitmap = false, from, conditions, columns }: PlanParts): BarePlan => {
    const rows = joinSql(`FROM ${from}`, ...(conditions.length > 0 ? ["WHERE", allOf(conditions)] : []));
    const orderBy = columns.map((column) => `${column} ${direction}`).join(", ");
    const counted = joinSql("SELECT count(*) FROM (SELECT 1", rows, `LIMIT ${COUNT_LIMIT + 1}) d`);
    const hasCount = parameters.get("count") === "true";
    return {
      name,
      isBitmap,
      page: joinSql(`SELECT ${dialect.json}`, rows, `ORDER BY ${orderBy} ${bounds}`),
      count: hasCount ? (tests.length > 0 ? counted : sql(dialect.countAll)) : undefined,
    };
  };
  const { key, id, from, where } = order;
  const conditions = tests.map(({ test }) => test);
  const scan = plan({
    name: "scan",
    from,
    conditions: where === undefined ? conditions : [sql(where), ...conditions],
    columns: key === undefined ? [id] : [key, id],
  });
  const byIndex = tests.flatMap(({ indexes }, position) =>
    indexes.map((index) =>
      plan({
        name: "index",
        isBitmap: index.isBitmap ?? false,
        from: index.from,
        conditions: conditions.with(position, index.test),
        columns: key === undefined ? [index.id] : [dialect.unindexed(key), "u.id"],
      }),
    ),
  );
  return [scan, ...byIndex];
}

function testsOf(dialect: BareDialect, parameters: URLSearchParams): BareTest[] | undefined {
  if (parameters.has("filter")) return undefined;
  const fields = [...new Set(parameters.keys())].filter((name) => !reserved.has(name));
  const search = parameters.get("q");
  return [
    ...parameters.getAll("group").map((group) => dialect.belongsTo(Number(group))),
    ...fields.map((field) => {
      const values = parameters.getAll(field).map(toValue);
      return dialect.compare(field, `IN (${values.map(() => "?").join(", ")})`, ...values);
    }),
    ...(search === null ? [] : [dialect.contains(searchedWords(search.split(" ")))]),
  ];
}

/** Text that looks like a number is one. */
function toValue(text: string): SqlValue {
  return /^\d+$/.test(text) ? Number(text) : text;
}

/** The test of members of a group. `from` is the SQL after FROM that reads the table `memberships` as `m`, and the user `u` of each. */
export function memberTest(
  { memberships, from }: { readonly memberships: string; readonly from: string },
  group: number,
): BareTest {
  return {
    test: sql(`EXISTS (SELECT 1 FROM ${memberships} m WHERE m.user_id = u.id AND m.group_id = ?)`, group),
    indexes: [{ from, test: sql("m.group_id = ?", group), id: "m.user_id" }],
  };
}

/** The marked start of a word of one or two characters, as in the column `word_starts`. */
export function markedStart(word: string): string | undefined {
  return isWordStart(word) ? "\u0001".repeat(3 - [...word].length) + word : undefined;
}
