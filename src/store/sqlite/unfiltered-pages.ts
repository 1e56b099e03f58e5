import type { Database, Statement } from "bun:sqlite";
import { type CustomSort, type FoundPage, fitPage, type ListQuery } from "../../domain/lists/listing.ts";
import { readId } from "../../domain/users/user.ts";
import type { Dialect } from "../lists/dialect.ts";
import { type ListResource, ofField } from "../lists/list-resource.ts";
import { SINGLE_FETCH_ROWS } from "../lists/plans/row-reader.ts";
import { afterPosition, findSegments, fromSegment, segmentColumns } from "../lists/sort-order.ts";
import type { SqlValue } from "../sql/sql.ts";
import { withStableLimit } from "./statement-cache.ts";

interface Row {
  json: Uint8Array;
}

interface RowWithKey extends Row {
  key: SqlValue;
}

/** The statements of one sort order in one direction. */
interface PageStatements {
  readonly fromStart: Statement<Row, [number]>;
  readonly afterId: Statement<Row, [number, number]> | undefined;
  readonly afterKey: Statement<Row, [SqlValue, number, number]> | undefined;
  /** Selects the sort key of the last row: cheaper than to fetch the key of every row. */
  readonly keyById: Statement<{ key: SqlValue }, [number]> | undefined;
}

/** The statements for any custom field in one direction. Each row has its sort key. */
interface CustomStatements {
  readonly fromStart: Statement<RowWithKey, [string, number]>;
  readonly afterKey: Statement<RowWithKey, [string, SqlValue, number, number]>;
}

/** Pages of unfiltered lists, the most frequent kind, by one prepared statement each. */
export class UnfilteredPages {
  readonly #dialect: Dialect;
  readonly #resource: ListResource;
  readonly #db: Database;
  readonly #statements = new Map<string, PageStatements>();
  readonly #customStatements = new Map<boolean, CustomStatements>();

  constructor(db: Database, dialect: Dialect, resource: ListResource) {
    this.#dialect = dialect;
    this.#resource = resource;
    this.#db = db;
  }

  /** Undefined if the page needs more than one statement, and therefore a transaction. */
  findWithoutTransaction(query: ListQuery): FoundPage | undefined {
    const { sort, limit } = query;
    if (!isWholeList(query) || typeof sort !== "string" || limit >= SINGLE_FETCH_ROWS) return undefined;
    const [{ key }, ...furtherSegments] = ofField(this.#resource.sortOrders, sort);
    return key || furtherSegments.length > 0 ? undefined : this.#findInFirstSegment(query, sort);
  }

  /** Undefined if the list is filtered, counted or skips rows, or if the page needs a second segment of its order. */
  find(query: ListQuery): FoundPage | undefined {
    const { sort, from } = query;
    if (!isWholeList(query)) return undefined;
    if (typeof sort !== "string") return this.#findByCustomField(query, sort);
    const hasMoreSegments = ofField(this.#resource.sortOrders, sort).length > 1;
    if (hasMoreSegments && from?.key === null) return undefined;
    const page = this.#findInFirstSegment(query, sort);
    return hasMoreSegments && !page.next ? undefined : page;
  }

  #findInFirstSegment(query: ListQuery, sort: string): FoundPage {
    const { descending, from, limit } = query;
    const name = descending ? `-${sort}` : sort;
    const statements = this.#statements.get(name) ?? this.#prepare(name, sort, descending);
    // One extra row tells whether there is a next page.
    const rows = !from
      ? fetchRows(statements.fromStart, [], limit + 1)
      : statements.afterKey
        ? fetchRows(statements.afterKey, [from.key, from.id], limit + 1)
        : fetchRows(statements.afterId, [from.id], limit + 1);
    const { items, more } = fitPage(rows, query);
    if (!more) return { items, next: undefined };
    const id = readId(items.at(-1) ?? new Uint8Array());
    return { items, next: { key: statements.keyById?.get(id)?.key ?? null, id, skip: 0 } };
  }

  #findByCustomField(query: ListQuery, { custom }: CustomSort): FoundPage | undefined {
    const { descending, from, limit } = query;
    if (from?.key === null || limit >= SINGLE_FETCH_ROWS) return undefined;
    const statements = this.#customStatements.get(descending) ?? this.#prepareCustom(custom, descending);
    const rows = from
      ? statements.afterKey.all(custom, from.key, from.id, limit + 1)
      : statements.fromStart.all(custom, limit + 1);
    const { items, more } = fitPage(rows, query);
    const last = items.at(-1);
    if (!more || !last) return undefined;
    return { items, next: { key: rows[items.length - 1]?.key ?? null, id: readId(last), skip: 0 } };
  }

  #prepare(name: string, sort: string, descending: boolean): PageStatements {
    const { table, sortOrders } = this.#resource;
    const [segment] = ofField(sortOrders, sort);
    const { key } = segment;
    const prepareAfter = (id: number | undefined) => {
      const { text } = fromSegment(this.#dialect, this.#resource, segment, descending, {
        segment: 0,
        key: null,
        id,
      });
      const select = `SELECT ${this.#dialect.json} AS json ${text} LIMIT ?`;
      return this.#db.prepare<Row, SqlValue[]>(withStableLimit(select));
    };
    const statements: PageStatements = {
      fromStart: prepareAfter(undefined),
      afterId: key ? undefined : prepareAfter(0),
      afterKey: key ? prepareAfter(0) : undefined,
      keyById: key ? this.#db.prepare(`SELECT ${key} AS key FROM ${table} WHERE id = ?`) : undefined,
    };
    this.#statements.set(name, statements);
    return statements;
  }

  #prepareCustom(custom: string, descending: boolean): CustomStatements {
    const resource = this.#resource;
    const [segment] = findSegments(resource, { custom });
    if (!segment) throw new Error("The order of a custom field has no segment.");
    const { id: idColumn, key } = segmentColumns(resource, segment);
    const prepareAfter = (id: number | undefined) => {
      const start = { segment: 0, key: null, id };
      const { text } = afterPosition({ id: idColumn, key }, segment, descending, start);
      // SQLite never reorders a CROSS JOIN: it reads the values in order, and sorts nothing.
      const rows = `${resource.customValues.table} v CROSS JOIN ${resource.table} u ON u.id = ${idColumn}`;
      const select = `SELECT ${this.#dialect.json} AS json, ${key} AS key FROM ${rows} ${text} LIMIT ?`;
      return this.#db.prepare<RowWithKey, SqlValue[]>(withStableLimit(select));
    };
    const statements: CustomStatements = { fromStart: prepareAfter(undefined), afterKey: prepareAfter(0) };
    this.#customStatements.set(descending, statements);
    return statements;
  }
}

/** Whether the list has all rows, is not counted and skips no rows. */
function isWholeList({ from, offset, search, filters, expression, count }: ListQuery): boolean {
  const isComplete = search === undefined && filters.length === 0 && !expression;
  return isComplete && !count && offset === 0 && (from?.skip ?? 0) === 0;
}

/** Long pages are read row by row: rows beyond `PAGE_BYTES` are never fetched. */
function fetchRows<Values extends SqlValue[]>(
  statement: Statement<Row, [...Values, number]> | undefined,
  values: Values,
  limit: number,
): Iterable<Row> {
  if (!statement) return [];
  return limit > SINGLE_FETCH_ROWS ? statement.iterate(...values, limit) : statement.all(...values, limit);
}
