import type { Database, Statement } from "bun:sqlite";
import type { ListQuery, Page } from "../../domain/listing.ts";
import type { StoreStats } from "../../domain/store.ts";
import type { StoredUser } from "../../domain/user.ts";
import { type CountRound, countRound } from "../lists/count.ts";
import { DEFAULT_MAX_CANDIDATES, type Dialect } from "../lists/dialect.ts";
import { PageFinder } from "../lists/page-finder.ts";
import { runSteps, type SqlSteps } from "../lists/sql-steps.ts";
import { sqliteDialect } from "./dialect.ts";
import { StatementCache } from "./statement-cache.ts";
import { UnfilteredPages } from "./unfiltered-pages.ts";

/** Reads from one connection. Every answer is of one moment. */
export class Reader {
  readonly #db: Database;
  readonly #dialect: Dialect;
  readonly #selects: StatementCache;
  readonly #plainPages: UnfilteredPages;
  readonly #begin: Statement;
  readonly #end: Statement;
  readonly #one: Statement<{ version: number; json: string }, [number]>;

  constructor(db: Database, maxCandidates = DEFAULT_MAX_CANDIDATES) {
    this.#db = db;
    this.#dialect = sqliteDialect(maxCandidates);
    this.#selects = new StatementCache(db);
    this.#plainPages = new UnfilteredPages(db, this.#dialect);
    this.#begin = db.prepare("BEGIN");
    this.#end = db.prepare("COMMIT");
    this.#one = db.prepare("SELECT version, json FROM users WHERE id = ?");
  }

  read(id: number): StoredUser | undefined {
    const row = this.#one.get(id);
    return row ? { id, version: row.version, json: row.json } : undefined;
  }

  list(query: ListQuery): Page {
    return this.#inTransaction(
      () => this.#plainPages.find(query) ?? this.runSteps(new PageFinder(this.#dialect, query).find()),
    );
  }

  figures(): StoreStats {
    const pages = this.#selects.selectNumber("PRAGMA page_count");
    return {
      users: this.#selects.selectNumber("SELECT users FROM directory"),
      bytes: pages * this.#selects.selectNumber("PRAGMA page_size"),
    };
  }

  /** A question or a few that are answered at once. */
  runSteps<T>(asking: SqlSteps<T>): T {
    return runSteps(asking, (sql) => this.#selects.selectRows(sql));
  }

  countRound(query: ListQuery, after: number | undefined): CountRound {
    return this.#inTransaction(() => this.runSteps(countRound(this.#dialect, query, after)));
  }

  #inTransaction<T>(work: () => T): T {
    if (this.#db.inTransaction) return work();
    this.#begin.run();
    try {
      return work();
    } finally {
      this.#end.run();
    }
  }
}
