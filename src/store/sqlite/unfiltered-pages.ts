import type { Database, Statement } from "bun:sqlite";
import { type FoundPage, fitPage, type ListQuery } from "../../domain/listing.ts";
import { readId } from "../../domain/user.ts";
import type { Dialect } from "../lists/dialect.ts";
import type { ListResource } from "../lists/list-resource.ts";
import { SINGLE_FETCH_ROWS } from "../lists/row-reader.ts";
import { fromSegment } from "../lists/sort-order.ts";
import type { SqlValue } from "../lists/sql.ts";
import { withStableLimit } from "./statement-cache.ts";

interface Row {
  json: Uint8Array;
}

/** The statements of one sort order in one direction. */
interface PageStatements {
  readonly fromStart: Statement<Row, [number]>;
  readonly afterId: Statement<Row, [number, number]> | undefined;
  readonly afterKey: Statement<Row, [SqlValue, number, number]> | undefined;
  /** Selects the sort key of the last row: cheaper than to fetch the key of every row. */
  readonly keyById: Statement<{ key: SqlValue }, [number]> | undefined;
}

/** Pages of unfiltered lists, the most frequent kind, by one prepared statement each. */
export class UnfilteredPages<Sort extends string, Column extends string> {
  readonly #db: Database;
  readonly #statements = new Map<string, PageStatements>();

  constructor(
    db: Database,
    readonly dialect: Dialect,
    readonly resource: ListResource<Sort, Column>,
  ) {
    this.#db = db;
  }

  /** Undefined if the list is filtered, counted or skips rows, or if its order has several segments. */
  find(query: ListQuery<Sort, Column>): FoundPage | undefined {
    const { sort, descending, from, limit, offset, search, filters, expression, count } = query;
    if (count || search !== undefined || filters.length > 0 || expression || offset > 0) return undefined;
    if (typeof sort !== "string" || (from && from.skip > 0)) return undefined;
    if (this.resource.sortOrders[sort].length > 1) return undefined;
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

  #prepare(name: string, sort: Sort, descending: boolean): PageStatements {
    const { table, sortOrders } = this.resource;
    const [segment] = sortOrders[sort];
    const { key } = segment;
    const prepareAfter = (id: number | undefined) => {
      const { text } = fromSegment(this.dialect, this.resource, segment, descending, {
        segment: 0,
        key: null,
        id,
      });
      const select = `SELECT ${this.dialect.json} AS json ${text} LIMIT ?`;
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
