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
const MOST_STATEMENTS = 128;

export interface CountRound {
  readonly found: number;
  readonly last: number | undefined;
}

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
      this.#atOneMoment(() => new PageFinder(this, query, this.#candidates).find())
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

  /**
   * Counts the users that a filtered list has beyond an id, as far as one round of bounded work gets: `last` is where
   * the next round begins, undefined when this was the last. No round counts more than can be told.
   */
  countRound(query: ListQuery, after: number | undefined): CountRound {
    const conditions = conditionsOf(query);
    const [only, ...others] = conditions;
    if (only?.exact && others.length === 0) {
      const { text, values } = only.ids({ descending: false, after, last: undefined });
      const found = this.#figure(`SELECT count(*) FROM (${text} LIMIT ${listLimits.count + 1})`, values);
      return { found, last: undefined };
    }
    return this.#atOneMoment(() => {
      const { condition, last } = this.best(conditions, false, after);
      const ids = condition.ids({ descending: false, after, last });
      const tests = conditions.map(({ test }) => test);
      const found = this.#figure(
        `SELECT count(*) FROM (${ids.text}) d CROSS JOIN users u ON u.id = d.id WHERE ${tests.map(({ text }) => text).join(" AND ")}`,
        [...ids.values, ...tests.flatMap(({ values }) => values)],
      );
      return { found, last };
    });
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
