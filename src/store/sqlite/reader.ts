import type { Database, Statement } from "bun:sqlite";
import type { StoredRecord } from "../../domain/records/record.ts";
import type { StoreStats } from "../../domain/store.ts";
import { forEachList, listResources, type OfEachList } from "../list-resources.ts";
import type { UniqueValue } from "../schema/unique-values.ts";
import { runSteps, type SqlSteps } from "../sql/sql-steps.ts";
import { ListReader } from "./list-reader.ts";
import { StatementCache } from "./statement-cache.ts";
import { FIND_BY_NAME } from "./write-statements.ts";

/** Finds a row by its id. */
type ById = Statement<{ version: number; json: string }, [number]>;

function prepareById(db: Database, table: "users" | "groups"): ById {
  return db.prepare(`SELECT version, json FROM ${table} WHERE id = ?`);
}

function find(statement: ById, id: number): StoredRecord | undefined {
  const row = statement.get(id);
  return row ? { id, version: row.version, json: row.json } : undefined;
}

/** Reads users, groups and lists on one connection. Each read sees every write that any process committed before. */
export class Reader {
  readonly #statements: StatementCache;
  readonly lists: OfEachList<ListReader>;
  readonly #userById: ById;
  readonly #groupById: ById;
  readonly #usersByName: Statement<StoredRecord, [string, string, string]>;
  readonly #userByValue: Statement<StoredRecord, [string, string]>;

  constructor(db: Database, maxCandidates?: number) {
    this.#statements = new StatementCache(db);
    this.lists = forEachList((name) => new ListReader(db, listResources[name], maxCandidates));
    this.#userById = prepareById(db, "users");
    this.#groupById = prepareById(db, "groups");
    this.#usersByName = db.prepare(
      `SELECT id, version, json FROM users WHERE email_key = ? OR id IN (${FIND_BY_NAME})`,
    );
    this.#userByValue = db.prepare(
      `SELECT u.id, u.version, u.json FROM unique_values v JOIN users u ON u.id = v.user_id
       WHERE v.field = ? AND v.value = ?`,
    );
  }

  /** One statement is its own snapshot: BEGIN and COMMIT would cost more than they share. */
  read(id: number): StoredRecord | undefined {
    return find(this.#userById, id);
  }

  readGroup(id: number): StoredRecord | undefined {
    return find(this.#groupById, id);
  }

  /** The users with this email or user name. */
  findByName(name: string): StoredRecord[] {
    return this.#usersByName.all(name, name, name);
  }

  findByValue({ field, value }: UniqueValue): StoredRecord | undefined {
    return this.#userByValue.get(field, value) ?? undefined;
  }

  stats(): StoreStats {
    const pages = this.#statements.selectNumber("PRAGMA page_count");
    const lastBackupAt = this.#statements.selectNumber("SELECT last_backup_at FROM directory");
    return {
      users: this.#statements.selectNumber("SELECT users FROM directory"),
      groups: this.#statements.selectNumber("SELECT groups FROM directory"),
      bytes: pages * this.#statements.selectNumber("PRAGMA page_size"),
      eventBytes: this.#statements.selectNumber("SELECT bytes FROM event_usage"),
      lastBackupAt: lastBackupAt || null,
    };
  }

  /** Each statement has a snapshot of its own. */
  run<T>(steps: SqlSteps<T>): T {
    return runSteps(steps, (sql) => this.#statements.selectRows(sql));
  }
}
