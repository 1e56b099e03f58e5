import type { Database, Statement } from "bun:sqlite";
import { createPage, type ListQuery, type Page, takeFittingUsers } from "../../domain/listing.ts";
import { readId } from "../../domain/user.ts";
import type { Dialect } from "../lists/dialect.ts";
import { selectSegment, sortOrders } from "../lists/orders.ts";
import { FIRST_FETCH } from "../lists/page-finder.ts";
import type { SqlValue } from "../lists/sql.ts";

interface Row {
  json: Uint8Array;
}

/** One order, walked one way. */
interface Walk {
  readonly fromStart: Statement<Row, [number]>;
  readonly fromId: Statement<Row, [number, number]> | undefined;
  readonly fromKey: Statement<Row, [SqlValue, number, number]> | undefined;
  /** The sort key of one user: cheaper to look up for the last than to fetch for all. */
  readonly key: Statement<{ key: SqlValue }, [number]> | undefined;
}

/**
 * The kind of list that is asked for most, each by a single statement that is ready: everybody, in an order that one
 * index has whole.
 */
export class UnfilteredPages {
  readonly #db: Database;
  readonly #walks = new Map<string, Walk>();

  constructor(
    db: Database,
    readonly dialect: Dialect,
  ) {
    this.#db = db;
  }

  /** Undefined for any other kind of list. */
  find(query: ListQuery): Page | undefined {
    const { sort, descending, from, limit, offset, search, filters, count } = query;
    if (count || search !== undefined || filters.length > 0 || offset > 0 || sort === "email")
      return undefined;
    if (from && from.skip > 0) return undefined;
    const name = descending ? `-${sort}` : sort;
    const walk = this.#walks.get(name) ?? this.#prepare(name, sort, descending);
    // One more than the page holds tells whether there is a next one.
    const rows = !from
      ? rowsOf(walk.fromStart, [], limit + 1)
      : walk.fromKey
        ? rowsOf(walk.fromKey, [from.key, from.id], limit + 1)
        : rowsOf(walk.fromId, [from.id], limit + 1);
    const { users, more } = takeFittingUsers(rows, limit);
    if (!more) return createPage(users, undefined, query);
    const id = readId(users.at(-1) ?? new Uint8Array());
    return createPage(users, { key: walk.key?.get(id)?.key ?? null, id, skip: 0 }, query);
  }

  #prepare(name: string, sort: Exclude<ListQuery["sort"], "email">, descending: boolean): Walk {
    const [segment] = sortOrders[sort];
    const statement = (id: number | undefined) => {
      const { text } = selectSegment(this.dialect, segment, descending, { segment: 0, key: null, id });
      return `SELECT ${this.dialect.json} AS json ${text} LIMIT ?`;
    };
    const { key } = segment;
    const walk: Walk = {
      fromStart: this.#db.prepare(statement(undefined)),
      fromId: key ? undefined : this.#db.prepare(statement(0)),
      fromKey: key ? this.#db.prepare(statement(0)) : undefined,
      key: key ? this.#db.prepare(`SELECT ${key} AS key FROM users WHERE id = ?`) : undefined,
    };
    this.#walks.set(name, walk);
    return walk;
  }
}

/** Of a long page, row by row: those that it has no room for are never fetched. */
function rowsOf<Values extends SqlValue[]>(
  statement: Statement<Row, [...Values, number]> | undefined,
  values: Values,
  most: number,
): Iterable<Row> {
  if (!statement) return [];
  return most > FIRST_FETCH ? statement.iterate(...values, most) : statement.all(...values, most);
}
