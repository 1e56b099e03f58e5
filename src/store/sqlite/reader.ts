import type { Database, Statement } from "bun:sqlite";
import type { ListQuery, Page } from "../../domain/listing.ts";
import type { StoreFigures } from "../../domain/store.ts";
import type { StoredUser } from "../../domain/user.ts";
import { type CountRound, countRound } from "../lists/count.ts";
import { CANDIDATES, type Dialect } from "../lists/dialect.ts";
import { PageFinder } from "../lists/page-finder.ts";
import { runSteps, type SqlSteps } from "../lists/sql-steps.ts";
import { sqliteDialect } from "./dialect.ts";
import { PlainPages } from "./plain-pages.ts";
import { Selects } from "./selects.ts";

/** Reads from one connection. Every answer is of one moment. */
export class Reader {
  readonly #db: Database;
  readonly #dialect: Dialect;
  readonly #selects: Selects;
  readonly #plainPages: PlainPages;
  readonly #begin: Statement;
  readonly #end: Statement;
  readonly #one: Statement<{ version: number; json: string }, [number]>;

  constructor(db: Database, candidates = CANDIDATES) {
    this.#db = db;
    this.#dialect = sqliteDialect(candidates);
    this.#selects = new Selects(db);
    this.#plainPages = new PlainPages(db, this.#dialect);
    this.#begin = db.prepare("BEGIN");
    this.#end = db.prepare("COMMIT");
    this.#one = db.prepare("SELECT version, json FROM users WHERE id = ?");
  }

  read(id: number): StoredUser | undefined {
    const row = this.#one.get(id);
    return row ? { id, version: row.version, json: row.json } : undefined;
  }

  list(query: ListQuery): Page {
    return this.#atOneMoment(
      () => this.#plainPages.find(query) ?? this.answer(new PageFinder(this.#dialect, query).find()),
    );
  }

  figures(): StoreFigures {
    const pages = this.#selects.figure("PRAGMA page_count");
    return {
      users: this.#selects.figure("SELECT users FROM directory"),
      bytes: pages * this.#selects.figure("PRAGMA page_size"),
    };
  }

  /** A question or a few that are answered at once. */
  answer<T>(asking: SqlSteps<T>): T {
    return runSteps(asking, (sql) => this.#selects.rows(sql));
  }

  countRound(query: ListQuery, after: number | undefined): CountRound {
    return this.#atOneMoment(() => this.answer(countRound(this.#dialect, query, after)));
  }

  #atOneMoment<T>(work: () => T): T {
    if (this.#db.inTransaction) return work();
    this.#begin.run();
    try {
      return work();
    } finally {
      this.#end.run();
    }
  }
}
