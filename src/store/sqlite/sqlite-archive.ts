import { type Changes, type Database, SQLiteError } from "bun:sqlite";
import {
  type ArchiveStats,
  type ArchiveTarget,
  type Cell,
  parseUserRow,
  type Row,
  SourceChangedError,
  type Table,
  type TableName,
  tables,
  toRows,
} from "../archive.ts";
import { searchText } from "../lists/search-text.ts";
import { moveTakenOver } from "../move-state.ts";
import { checkpoint, withStoreErrors } from "./database.ts";
import { prepareInserts, termColumns } from "./write-statements.ts";

/** Kept of the file in memory while it is filled. */
const CACHE_KIB = 16_384;

/** One SQLite file, read whole or filled. */
export class SqliteArchive implements ArchiveTarget {
  readonly identity: string;
  readonly #db: Database;
  #inserts: ReturnType<typeof prepareInserts> | undefined;

  /** Whoever fills the file has it alone. */
  constructor(
    db: Database,
    readonly shown: string,
    readonly waitMs: number,
  ) {
    this.#db = db;
    this.identity = this.#do(() => String(this.#value("SELECT identity FROM directory")));
  }

  async moveState(): Promise<string | undefined> {
    return this.#do(() => {
      const mark = this.#value("SELECT mark FROM moving");
      return mark === undefined ? undefined : String(mark);
    });
  }

  async stats(): Promise<ArchiveStats> {
    return this.#do(() => {
      const count = (text: string) => Number(this.#value(text));
      const rows = tables.map(({ name }): [TableName, number] => [
        name,
        count(name === "users" ? "SELECT users FROM directory" : `SELECT count(*) FROM ${name}`),
      ]);
      return { lastId: count("SELECT last_id FROM directory"), rows: new Map(rows) };
    });
  }

  async read(table: Table, after: Row | undefined, limit: number): Promise<Row[]> {
    const names = Object.keys(table.columns);
    const keys = names.slice(0, table.key).join(", ");
    const from = after ? `WHERE (${keys}) > (${after.map(() => "?").join(", ")})` : "";
    const text = `SELECT ${names.join(", ")} FROM ${table.name} ${from} ORDER BY ${keys} LIMIT ?`;
    const values = [...(after ?? []), limit];
    return this.#do(() => toRows(table, this.#db.query<unknown, Cell[]>(text).values(...values)));
  }

  async begin(from: string | undefined, to: string): Promise<void> {
    this.#change(() => {
      if (from !== undefined) return this.#moveMark(from, to);
      this.#run("INSERT INTO moving VALUES (1, ?, '[]')", to);
      this.#leaveOutIndexes();
    });
  }

  async write(table: Table, rows: readonly Row[], from: string, to: string): Promise<void> {
    this.#change(() => {
      this.#moveMark(from, to);
      if (table.name === "users") this.#writeUsers(rows);
      else this.#writePlain(table, rows);
    });
  }

  async updateMoveState(from: string, to: string): Promise<void> {
    this.#change(() => this.#moveMark(from, to));
  }

  async clear(from: string, to: string): Promise<void> {
    this.#change(() => {
      this.#moveMark(from, to);
      for (const { name } of tables) this.#run(`DELETE FROM ${name}`);
      this.#run("DELETE FROM user_values");
      // Nobody stays signed in by a key that may be another's now.
      this.#run("DELETE FROM sessions");
      this.#run("INSERT INTO user_search (user_search) VALUES ('delete-all')");
      this.#run("UPDATE directory SET users = 0");
      this.#leaveOutIndexes();
    });
  }

  async createIndexes(progress: (done: number, total: number) => void): Promise<void> {
    const statements = this.#leftOut();
    for (const [index, statement] of statements.entries()) {
      progress(index, statements.length);
      await Bun.sleep(0);
      this.#change(() => {
        this.#db.run(statement);
        this.#run("UPDATE moving SET indexes = ?", JSON.stringify(statements.slice(index + 1)));
      });
    }
    progress(statements.length, statements.length);
  }

  async finish(from: string, lastId: number): Promise<void> {
    // What was written before waits for the disk with this.
    this.#db.run("PRAGMA synchronous = FULL");
    this.#change(() => {
      const { changes } = this.#run("DELETE FROM moving WHERE mark = ?", from);
      if (changes === 0) throw moveTakenOver();
      this.#run("UPDATE directory SET last_id = max(last_id, ?)", lastId);
    });
    this.#do(() => checkpoint(this.#db, this.waitMs));
  }

  async close(): Promise<void> {
    // The file is let go of when nothing is prepared on it any more.
    for (const statement of Object.values(this.#inserts ?? {})) statement.finalize();
    this.#db.close();
  }

  /** For filling: the disk is waited for at the end alone. What a loss of power takes away, it takes with its mark. */
  hurry(): this {
    this.#db.run("PRAGMA synchronous = NORMAL");
    this.#db.run(`PRAGMA cache_size = ${-CACHE_KIB}`);
    return this;
  }

  #writeUsers(rows: readonly Row[]): void {
    this.#inserts ??= prepareInserts(this.#db, "");
    const { user, value, search } = this.#inserts;
    for (const { row, createdAt, terms } of rows.map(parseUserRow)) {
      user.run(row.id, row.version, row.json, createdAt, row.updatedAt, row.changedBy, ...termColumns(terms));
      for (const [field, text] of terms.values) value.run(field, text, row.id);
      search.run(row.id, searchText(terms));
    }
    this.#run("UPDATE directory SET users = users + ?", rows.length);
  }

  #writePlain({ name, columns }: Table, rows: readonly Row[]): void {
    const names = Object.keys(columns);
    const insert = this.#db.query<unknown, Cell[]>(
      `INSERT INTO ${name} (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`,
    );
    for (const row of rows) insert.run(...row);
  }

  #moveMark(from: string, to: string): void {
    const { changes } = this.#run("UPDATE moving SET mark = ? WHERE mark = ?", to, from);
    if (changes === 0) throw moveTakenOver();
  }

  #leaveOutIndexes(): void {
    const indexes = this.#db
      .query<{ name: string; sql: string }, []>(
        "SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL",
      )
      .all();
    for (const { name } of indexes) this.#db.run(`DROP INDEX ${name}`);
    const all = [...this.#leftOut(), ...indexes.map(({ sql }) => sql)];
    this.#run("UPDATE moving SET indexes = ?", JSON.stringify(all));
  }

  /** The statements that make the indexes which are not there now. */
  #leftOut(): string[] {
    return JSON.parse(String(this.#value("SELECT indexes FROM moving") ?? "[]"));
  }

  /** In one transaction. */
  #change(work: () => void): void {
    this.#do(() => {
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

  #do<T>(work: () => T): T {
    return withStoreErrors(this.shown, () => {
      try {
        return work();
      } catch (error) {
        const clashes = error instanceof SQLiteError && error.code?.startsWith("SQLITE_CONSTRAINT");
        throw clashes ? new SourceChangedError(error.message, { cause: error }) : error;
      }
    });
  }

  #run(text: string, ...values: Cell[]): Changes {
    return this.#db.query<unknown, Cell[]>(text).run(...values);
  }

  /** The one value that a SELECT gives; undefined where there is no row. */
  #value(text: string): unknown {
    return this.#db.query<unknown, []>(text).values()[0]?.[0];
  }
}
