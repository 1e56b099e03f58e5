import type { Database, Statement } from "bun:sqlite";
import { listLimits } from "../../contract/listing.ts";
import type { ListQuery, Page } from "../../domain/listing.ts";
import type { StoreFigures } from "../../domain/store.ts";
import type { StoredUser } from "../../domain/user.ts";
import { conditionsOf } from "./conditions.ts";
import { PageFinder } from "./page-finder.ts";
import { PlainPages } from "./plain-pages.ts";
import { Selects } from "./selects.ts";

/** How many users one request may look through before it answers with what it has found. */
const CANDIDATES = 10_000;

export interface CountRound {
  readonly found: number;
  readonly last: number | undefined;
}

/** Reads from one connection. Every answer is of one moment. */
export class Reader {
  readonly #db: Database;
  readonly #selects: Selects;
  readonly #plainPages: PlainPages;
  readonly #begin: Statement;
  readonly #end: Statement;
  readonly #one: Statement<{ version: number; json: string }, [number]>;

  constructor(db: Database, candidates = CANDIDATES) {
    this.#db = db;
    this.#selects = new Selects(db, candidates);
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
      this.#plainPages.find(query) ?? this.#atOneMoment(() => new PageFinder(this.#selects, query).find())
    );
  }

  figures(): StoreFigures {
    const pages = this.#selects.figure("PRAGMA page_count");
    return {
      users: this.#selects.figure("SELECT users FROM directory"),
      bytes: pages * this.#selects.figure("PRAGMA page_size"),
    };
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
      const found = this.#selects.figure(
        `SELECT count(*) FROM (${text} LIMIT ${listLimits.count + 1})`,
        values,
      );
      return { found, last: undefined };
    }
    return this.#atOneMoment(() => {
      const { condition, last } = this.#selects.best(conditions, false, after);
      const ids = condition.ids({ descending: false, after, last });
      const tests = conditions.map(({ test }) => test);
      const found = this.#selects.figure(
        `SELECT count(*) FROM (${ids.text}) d CROSS JOIN users u ON u.id = d.id WHERE ${tests.map(({ text }) => text).join(" AND ")}`,
        [...ids.values, ...tests.flatMap(({ values }) => values)],
      );
      return { found, last };
    });
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
}
