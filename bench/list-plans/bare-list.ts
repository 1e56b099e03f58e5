import { isWordStart, searchedWords } from "../../src/domain/lists/searched-words.ts";

/** One condition on the row `u` as bare SQL, and the rows that an index finds for it. */
interface BareTest {
  readonly test: string;
  /** The SQL after FROM that reads `u` from the condition's index, and the condition in the form that the index knows. */
  readonly index?: { readonly from: string; readonly test: string };
}

/** An order as bare SQL: the columns of `u`, and the SQL after FROM that reads the rows in this order. */
interface BareOrder {
  readonly columns: readonly string[];
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
  /** Reads all rows `u`, without an order. */
  readonly from: string;
  /** Undefined if no index has this order. */
  order(field: string): BareOrder | undefined;
  /** A custom field compared with a value, such as `> 3` or `IN ('a', 'b')`. Text that looks like a number is one. */
  compare(field: string, comparison: string): BareTest;
  /** The name or the email contains every word. */
  contains(words: readonly string[]): BareTest;
}

/** The tests of a kind that its query string does not tell, in the SQL of an engine. */
export type BareKind = (dialect: BareDialect) => readonly BareTest[];

/** One way to find a list with one statement for the page, and one for the count if the list has a count. */
export interface BarePlan {
  readonly name: "scan" | "index";
  readonly page: string;
  readonly count: string | undefined;
}

/** Filtered lists are counted up to this number. */
const COUNT_LIMIT = 100_000;
const reserved = new Set(["sort", "limit", "offset", "count", "q", "filter", "fields"]);

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
  const descending = sort.startsWith("-");
  const order = dialect.order(descending ? sort.slice(1) : sort);
  if (!tests || !order) return undefined;
  const direction = descending ? "DESC" : "ASC";
  const orderBy = order.columns.map((column) => `${column} ${direction}`).join(", ");
  const limit = Number(parameters.get("limit") ?? 100);
  const offset = Number(parameters.get("offset") ?? 0);
  const plan = (name: BarePlan["name"], from: string, texts: readonly string[]): BarePlan => {
    const where = texts.length > 0 ? `WHERE ${texts.join(" AND ")}` : "";
    const bounds = `LIMIT ${limit + 1}${offset > 0 ? ` OFFSET ${offset}` : ""}`;
    const counted = `SELECT count(*) FROM (SELECT 1 FROM ${from} ${where} LIMIT ${COUNT_LIMIT + 1}) d`;
    return {
      name,
      page: `SELECT ${dialect.json} FROM ${from} ${where} ORDER BY ${orderBy} ${bounds}`,
      count: parameters.get("count") !== "true" ? undefined : tests.length > 0 ? counted : dialect.countAll,
    };
  };
  const texts = tests.map(({ test }) => test);
  const byIndex = tests.flatMap(({ index }, position) =>
    index ? [plan("index", index.from, texts.with(position, index.test))] : [],
  );
  const inOrder = order.where === undefined ? texts : [order.where, ...texts];
  return [plan("scan", order.from, inOrder), ...byIndex];
}

function testsOf(dialect: BareDialect, parameters: URLSearchParams): BareTest[] | undefined {
  if (parameters.has("filter")) return undefined;
  const fields = [...new Set(parameters.keys())].filter((name) => !reserved.has(name));
  const search = parameters.get("q");
  return [
    ...fields.map((field) =>
      dialect.compare(field, `IN (${parameters.getAll(field).map(literal).join(", ")})`),
    ),
    ...(search === null ? [] : [dialect.contains(searchedWords(search.split(" ")))]),
  ];
}

/** A text as an SQL literal; a number stays a number. */
function literal(value: string): string {
  return /^\d+$/.test(value) ? value : quote(value);
}

export function quote(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** The marked start of a word of one or two characters, as in the column `word_starts`. */
export function markedStart(word: string): string | undefined {
  return isWordStart(word) ? "\u0001".repeat(3 - [...word].length) + word : undefined;
}
