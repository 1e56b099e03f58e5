import type { Database, Statement } from "bun:sqlite";
import type { CustomField, FieldValue } from "../../contract/users/field-schemas.ts";
import type { ColumnField } from "../../contract/users/user-fields.ts";
import { type FoundPage, formatFoundPage, type ListQuery, type Page } from "../../domain/lists/listing.ts";
import type { StoreStats } from "../../domain/store.ts";
import type { StoredUser } from "../../domain/users/user.ts";
import { countRound, isUnfiltered } from "../lists/count.ts";
import { DEFAULT_MAX_CANDIDATES, type Dialect } from "../lists/dialect.ts";
import { findFields, findFieldValues } from "../lists/field-values.ts";
import type { CountRound } from "../lists/plans/found-rows.ts";
import { findPage, findRemembered } from "../lists/plans/page-finder.ts";
import { PlanMemory } from "../lists/plans/plan-memory.ts";
import { findUnique, uniqueLookup } from "../lists/plans/unique-lookup.ts";
import type { UniqueValue } from "../schema/unique-values.ts";
import { runSteps, type SqlSteps } from "../sql/sql-steps.ts";
import { userList } from "../users/user-list.ts";
import { sqliteDialect } from "./dialect.ts";
import { StatementCache } from "./statement-cache.ts";
import { UnfilteredPages } from "./unfiltered-pages.ts";

/**
 * Reads users on one connection. Each page and each round of a count comes from one snapshot. No snapshot outlives its
 * call: a read sees every write that any process committed before the call.
 */
export class Reader {
  readonly #db: Database;
  readonly #dialect: Dialect;
  readonly #statements: StatementCache;
  readonly #unfilteredPages: UnfilteredPages<ColumnField, ColumnField>;
  readonly #memory = new PlanMemory();
  readonly #begin: Statement;
  readonly #commit: Statement;
  readonly #userById: Statement<{ version: number; json: string }, [number]>;
  readonly #userByEmail: Statement<StoredUser, [string]>;
  readonly #userByValue: Statement<StoredUser, [string, string]>;

  constructor(db: Database, maxCandidates = DEFAULT_MAX_CANDIDATES) {
    this.#db = db;
    this.#dialect = sqliteDialect(maxCandidates);
    this.#statements = new StatementCache(db);
    this.#unfilteredPages = new UnfilteredPages(db, this.#dialect, userList);
    this.#begin = db.prepare("BEGIN");
    this.#commit = db.prepare("COMMIT");
    this.#userById = db.prepare("SELECT version, json FROM users WHERE id = ?");
    this.#userByEmail = db.prepare("SELECT id, version, json FROM users WHERE email_key = ?");
    this.#userByValue = db.prepare(
      `SELECT u.id, u.version, u.json FROM unique_values v JOIN users u ON u.id = v.user_id
       WHERE v.field = ? AND v.value = ?`,
    );
  }

  /** One statement is its own snapshot: BEGIN and COMMIT would cost more than they share. */
  read(id: number): StoredUser | undefined {
    const row = this.#userById.get(id);
    return row ? { id, version: row.version, json: row.json } : undefined;
  }

  findByEmail(emailKey: string): StoredUser | undefined {
    return this.#userByEmail.get(emailKey) ?? undefined;
  }

  findByValue({ field, value }: UniqueValue): StoredUser | undefined {
    return this.#userByValue.get(field, value) ?? undefined;
  }

  list(query: ListQuery): Page {
    return formatFoundPage(this.find(query), query);
  }

  find(query: ListQuery): FoundPage {
    return (
      this.#findWithoutTransaction(query) ??
      this.#inTransaction(
        () =>
          this.#unfilteredPages.find(query) ??
          this.run(findPage(this.#dialect, userList, query, this.#memory)),
      )
    );
  }

  /** One statement has a snapshot of its own. Undefined if the page needs more. */
  #findWithoutTransaction(query: ListQuery): FoundPage | undefined {
    if (isUnfiltered(query)) return this.#unfilteredPages.findWithoutTransaction(query);
    const lookup = uniqueLookup(this.#dialect, userList, query);
    return this.run(lookup ? findUnique(lookup, query) : findRemembered(query, this.#memory));
  }

  stats(): StoreStats {
    const pages = this.#statements.selectNumber("PRAGMA page_count");
    const lastBackupAt = this.#statements.selectNumber("SELECT last_backup_at FROM directory");
    return {
      users: this.#statements.selectNumber("SELECT users FROM directory"),
      bytes: pages * this.#statements.selectNumber("PRAGMA page_size"),
      eventBytes: this.#statements.selectNumber("SELECT bytes FROM event_usage"),
      lastBackupAt: lastBackupAt || null,
    };
  }

  /** Each statement has a snapshot of its own. */
  run<T>(steps: SqlSteps<T>): T {
    return runSteps(steps, (sql) => this.#statements.selectRows(sql));
  }

  #runInSnapshot<T>(steps: SqlSteps<T>): T {
    return this.#inTransaction(() => this.run(steps));
  }

  countRound(query: ListQuery, after: number | undefined): CountRound {
    return this.#runInSnapshot(countRound(this.#dialect, userList, query, after));
  }

  listFields(): CustomField[] {
    return this.#runInSnapshot(findFields(this.#dialect));
  }

  listFieldValues(field: string, prefix: string): FieldValue[] {
    return this.#runInSnapshot(findFieldValues(this.#dialect, field, prefix));
  }

  #inTransaction<T>(work: () => T): T {
    this.#begin.run();
    try {
      return work();
    } finally {
      // Some errors, such as a damaged file, have ended the transaction.
      if (this.#db.inTransaction) this.#commit.run();
    }
  }
}
