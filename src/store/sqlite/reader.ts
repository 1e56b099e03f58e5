import type { Database, Statement } from "bun:sqlite";
import { listLimits } from "../../contract/listing.ts";
import type { ListQuery, Page } from "../../domain/listing.ts";
import type { StoreFigures } from "../../domain/store.ts";
import type { StoredUser } from "../../domain/user.ts";
import { type Condition, conditionsOf, type Sql, type Value } from "./conditions.ts";
import { PageFinder } from "./page-finder.ts";
import { PlainPages } from "./plain-pages.ts";

/** How many users one request may look through before it answers with what it has found. */
const CANDIDATES = 10_000;
/** How many times as many a count may look through. */
const COUNT_ROUNDS = 25;
const MOST_STATEMENTS = 128;

/** Reads from one connection. Every answer is of one moment. */
export class Reader {
  readonly #db: Database;
  readonly #candidates: number;
  readonly #statements = new Map<string, Statement>();
  readonly #plainPages: PlainPages;
  readonly #begin: Statement;
  readonly #end: Statement;
  readonly #one: Statement<{ version: number; json: string }, [number]>;

  constructor(db: Database, candidates = CANDIDATES) {
    this.#db = db;
    this.#candidates = candidates;
    this.#plainPages = new PlainPages(db);
    this.#begin = db.prepare("BEGIN");
    this.#end = db.prepare("COMMIT");
    this.#one = db.prepare("SELECT version, json FROM users WHERE id = ?");
  }

  read(id: number): StoredUser | undefined {
    const row = this.#one.get(id);
    return row ? { id, version: row.version, json: row.json } : undefined;
  }

  list(query: ListQuery): Page {
    return (
      this.#plainPages.find(query) ??
      this.#atOneMoment(() => {
        const page = new PageFinder(this, query, this.#candidates).find();
        return query.count ? { ...page, total: this.#count(query) } : page;
      })
    );
  }

  #atOneMoment<T>(read: () => T): T {
    if (this.#db.inTransaction) return read();
    this.#begin.run();
    try {
      return read();
    } finally {
      this.#end.run();
    }
  }

  figures(): StoreFigures {
    const pages = this.#figure("PRAGMA page_count");
    return {
      users: this.#figure("SELECT users FROM directory"),
      bytes: pages * this.#figure("PRAGMA page_size"),
    };
  }

  /** All rows of a SELECT, as arrays. */
  rows({ text, values }: Sql): Value[][] {
    return this.#prepared(text).values(...values) as Value[][];
  }

  /**
   * The id up to which the index of a condition takes us when it may look at only so many entries; undefined when
   * it has fewer than that left.
   */
  reach(condition: Condition, descending: boolean, after: number | undefined): number | undefined {
    if (condition.few) return undefined;
    let farthest: number | undefined;
    for (const list of condition.lists) {
      const { text, values } = list({ descending, after, last: undefined });
      const last = this.rows({ text: `${text} LIMIT 1 OFFSET ${this.#candidates - 1}`, values })[0]?.[0];
      if (last === undefined) return undefined;
      const id = Number(last);
      if (farthest === undefined || (descending ? id < farthest : id > farthest)) farthest = id;
    }
    return farthest;
  }

  #count(query: ListQuery): Page["total"] {
    const conditions = conditionsOf(query);
    const [first] = conditions;
    if (!first) return { count: this.figures().users, capped: false };
    if (conditions.length === 1 && first.exact) {
      const { text, values } = first.ids({ descending: false, after: undefined, last: undefined });
      return capped(
        this.#figure(`SELECT count(*) FROM (${text} LIMIT ${listLimits.count + 1})`, values),
        true,
      );
    }
    return this.#countTogether(conditions);
  }

  /** Goes through the users in rounds of bounded work, as a caller does who follows the pages. */
  #countTogether(conditions: readonly Condition[]): Page["total"] {
    let found = 0;
    let after: number | undefined;
    for (let round = 0; round < COUNT_ROUNDS && found <= listLimits.count; round++) {
      const { condition, last } = this.best(conditions, false, after);
      const ids = condition.ids({ descending: false, after, last });
      const tests = conditions.map(({ test }) => test);
      found += this.#figure(
        `SELECT count(*) FROM (${ids.text}) d CROSS JOIN users u ON u.id = d.id WHERE ${tests.map(({ text }) => text).join(" AND ")}`,
        [...ids.values, ...tests.flatMap(({ values }) => values)],
      );
      if (last === undefined) return capped(found, true);
      after = last;
    }
    return capped(found, false);
  }

  /** The condition whose index gets farthest with a bounded number of entries, and how far that is. */
  best(
    conditions: readonly Condition[],
    descending: boolean,
    after: number | undefined,
  ): { condition: Condition; last: number | undefined } {
    let best: { condition: Condition; last: number } | undefined;
    for (const condition of [...conditions].sort((a, b) => Number(b.few) - Number(a.few))) {
      const last = this.reach(condition, descending, after);
      if (last === undefined) return { condition, last };
      if (!best || (descending ? last < best.last : last > best.last)) best = { condition, last };
    }
    if (!best) throw new Error("A list without conditions has no best one.");
    return best;
  }

  #figure(text: string, values: readonly Value[] = []): number {
    return Number(this.rows({ text, values })[0]?.[0] ?? 0);
  }

  #prepared(text: string): Statement {
    const known = this.#statements.get(text);
    if (known) return known;
    for (const [oldest, statement] of this.#statements) {
      if (this.#statements.size < MOST_STATEMENTS) break;
      statement.finalize();
      this.#statements.delete(oldest);
    }
    const statement = this.#db.prepare(text);
    this.#statements.set(text, statement);
    return statement;
  }
}

function capped(found: number, whole: boolean): Page["total"] {
  return { count: Math.min(found, listLimits.count), capped: !whole || found > listLimits.count };
}
