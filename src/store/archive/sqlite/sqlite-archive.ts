import { type Changes, type Database, SQLiteError } from "bun:sqlite";
import { checkpoint, withStoreErrors } from "../../sqlite/database.ts";
import {
  type ArchiveStats,
  type ArchiveTarget,
  type Cell,
  emptiedTables,
  type Row,
  SourceChangedError,
  sequences,
  type Table,
  type TableName,
  type TableShape,
  tables,
  toRows,
} from "../archive.ts";
import { moveTakenOver } from "../move-state.ts";
import { type RowInserter, sequenceStatements, tableHooks } from "./archive-tables.ts";
import { disableWebhooks } from "./detach-copy.ts";

/** Page cache while a file is filled. */
const CACHE_KIB = 16_384;

/** An SQLite file to read completely or to fill. */
export class SqliteArchive implements ArchiveTarget {
  readonly #waitMs: number;
  readonly identity: string;
  readonly #db: Database;
  readonly #inserters = new Map<TableName, RowInserter>();

  /** To fill the file, `db` must be its only connection. */
  constructor(
    db: Database,
    readonly displayName: string,
    waitMs: number,
  ) {
    this.#waitMs = waitMs;
    this.#db = db;
    this.identity = this.#withStoreErrors(() => String(this.#value("SELECT identity FROM directory")));
  }

  async moveState(): Promise<string | undefined> {
    return this.#withStoreErrors(() => {
      const state = this.#value("SELECT mark FROM moving");
      return state === undefined ? undefined : String(state);
    });
  }

  async stats(): Promise<ArchiveStats> {
    return this.#withStoreErrors(() => ({
      lastValues: new Map(
        sequences.map((name) => [name, Number(this.#value(sequenceStatements[name].last))]),
      ),
      rows: new Map(tables.map((table) => [table.name, Number(this.#value(tableHooks(table).count))])),
      isSettled: this.#value("SELECT settled_to FROM directory") === null,
    }));
  }

  async read(table: TableShape, after: Row | undefined, limit: number): Promise<Row[]> {
    const names = Object.keys(table.columns);
    const keys = names.slice(0, table.keyColumns).join(", ");
    const from = after ? `WHERE (${keys}) > (${after.map(() => "?").join(", ")})` : "";
    const text = `SELECT ${names.join(", ")} FROM ${table.name} ${from} ORDER BY ${keys} LIMIT ?`;
    const values = [...(after ?? []), limit];
    return this.#withStoreErrors(() =>
      toRows(table, this.#db.query<unknown, Cell[]>(text).values(...values)),
    );
  }

  async begin(from: string | undefined, to: string): Promise<void> {
    this.#transact(() => {
      if (from !== undefined) return this.#updateMoveState(from, to);
      this.#run("INSERT INTO moving VALUES (1, ?, '[]')", to);
      this.#dropIndexes();
    });
  }

  async write(table: Table, rows: readonly Row[], from: string, to: string): Promise<void> {
    this.#transact(() => {
      this.#updateMoveState(from, to);
      this.#inserter(table).insert(rows);
    });
  }

  async updateMoveState(from: string, to: string): Promise<void> {
    this.#transact(() => this.#updateMoveState(from, to));
  }

  async clear(from: string, to: string): Promise<void> {
    this.#transact(() => {
      this.#updateMoveState(from, to);
      for (const table of tables) {
        this.#run(`DELETE FROM ${table.name}`);
        for (const statement of tableHooks(table).clearDerived) this.#run(statement);
      }
      for (const name of emptiedTables) this.#run(`DELETE FROM ${name}`);
      this.#dropIndexes();
    });
  }

  async createIndexes(progress: (done: number, total: number) => void): Promise<void> {
    const statements = this.#droppedIndexes();
    for (const [index, statement] of statements.entries()) {
      progress(index, statements.length);
      await Bun.sleep(0);
      this.#transact(() => {
        this.#db.run(statement);
        this.#run("UPDATE moving SET indexes = ?", JSON.stringify(statements.slice(index + 1)));
      });
    }
    progress(statements.length, statements.length);
  }

  async finish(
    from: string,
    { lastValues, isSettled }: Omit<ArchiveStats, "rows">,
    restored = false,
  ): Promise<void> {
    // Makes this transaction and all earlier ones durable.
    this.#db.run("PRAGMA synchronous = FULL");
    this.#transact(() => {
      const { changes } = this.#run("DELETE FROM moving WHERE mark = ?", from);
      if (changes === 0) throw moveTakenOver();
      for (const [name, value] of lastValues) this.#run(sequenceStatements[name].raise, value);
      this.#run("UPDATE directory SET last_backup_at = NULL, settled_to = ?", isSettled ? null : 0);
      if (restored) disableWebhooks(this.#db);
    });
    this.#withStoreErrors(() => checkpoint(this.#db, this.#waitMs));
  }

  async close(): Promise<void> {
    for (const inserter of this.#inserters.values()) inserter.finalize();
    this.#db.close();
  }

  /** Trades durability for speed until `finish`. A power failure loses rows only together with their move state. */
  optimizeForFilling(): this {
    this.#db.run("PRAGMA synchronous = NORMAL");
    this.#db.run(`PRAGMA cache_size = ${-CACHE_KIB}`);
    return this;
  }

  #inserter(table: Table): RowInserter {
    const inserter = this.#inserters.get(table.name) ?? tableHooks(table).prepareInsert(this.#db);
    this.#inserters.set(table.name, inserter);
    return inserter;
  }

  #updateMoveState(from: string, to: string): void {
    const { changes } = this.#run("UPDATE moving SET mark = ? WHERE mark = ?", to, from);
    if (changes === 0) throw moveTakenOver();
  }

  #dropIndexes(): void {
    const indexes = this.#db
      .query<{ name: string; sql: string }, []>(
        "SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL",
      )
      .all();
    for (const { name } of indexes) this.#db.run(`DROP INDEX ${name}`);
    const dropped = [...this.#droppedIndexes(), ...indexes.map(({ sql }) => sql)];
    this.#run("UPDATE moving SET indexes = ?", JSON.stringify(dropped));
  }

  /** The CREATE INDEX statements of the dropped indexes. */
  #droppedIndexes(): string[] {
    return JSON.parse(String(this.#value("SELECT indexes FROM moving") ?? "[]"));
  }

  #transact(work: () => void): void {
    this.#withStoreErrors(() => {
      this.#db.run("BEGIN IMMEDIATE");
      try {
        work();
        this.#db.run("COMMIT");
      } catch (error) {
        if (this.#db.inTransaction) this.#db.run("ROLLBACK");
        throw error;
      }
    });
  }

  #withStoreErrors<T>(work: () => T): T {
    return withStoreErrors(this.displayName, () => {
      try {
        return work();
      } catch (error) {
        const isConstraint = error instanceof SQLiteError && error.code?.startsWith("SQLITE_CONSTRAINT");
        throw isConstraint ? new SourceChangedError(error.message, { cause: error }) : error;
      }
    });
  }

  #run(text: string, ...values: Cell[]): Changes {
    return this.#db.query<unknown, Cell[]>(text).run(...values);
  }

  /** The first value that a SELECT returns; undefined if there is no row. */
  #value(text: string): unknown {
    return this.#db.query<unknown, []>(text).values()[0]?.[0];
  }
}
