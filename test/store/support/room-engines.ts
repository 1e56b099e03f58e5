import { Database } from "bun:sqlite";
import { SQL } from "bun";
import type { IndexTerms } from "../../../src/domain/users/user.ts";
import type { Dialect } from "../../../src/store/lists/dialect.ts";
import { searchText } from "../../../src/store/lists/search-text.ts";
import { postgresDialect } from "../../../src/store/postgres/dialect.ts";
import { searchKeysText } from "../../../src/store/postgres/search-keys.ts";
import type { SqlValue } from "../../../src/store/sql/sql.ts";
import { sqliteDialect } from "../../../src/store/sqlite/dialect.ts";
import { freshDatabase } from "../../support/postgres/fresh-database.ts";

/** A database with an empty search index `room_search`. */
export interface RoomEngine extends AsyncDisposable {
  readonly dialect: Dialect;
  run(text: string, values?: readonly SqlValue[]): Promise<unknown[][]>;
  /** Makes a room searchable. */
  addText(id: number, terms: IndexTerms): Promise<unknown>;
}

export const openRoomEngine = {
  async SQLite(): Promise<RoomEngine> {
    const db = new Database(":memory:");
    const run: RoomEngine["run"] = async (text, values = []) => db.prepare(text).values(...values);
    await run("CREATE VIRTUAL TABLE room_search USING fts5 (text, tokenize = 'trigram case_sensitive 1')");
    return {
      dialect: sqliteDialect(10_000),
      run,
      addText: (id, terms) =>
        run("INSERT INTO room_search (rowid, text) VALUES (?, ?)", [id, searchText(terms)]),
      [Symbol.asyncDispose]: async () => db.close(),
    };
  },
  async PostgreSQL(): Promise<RoomEngine> {
    const database = await freshDatabase();
    const sql = new SQL(database.url, { max: 1 });
    const run: RoomEngine["run"] = (text, values = []) => {
      const numbered = text.split("?").reduce((start, rest, index) => `${start}$${index}${rest}`);
      return sql.unsafe(numbered, [...values]).values();
    };
    await run("CREATE SCHEMA IF NOT EXISTS roster");
    await run("CREATE TABLE roster.room_search (room bigint PRIMARY KEY, keys integer[])");
    return {
      dialect: postgresDialect(10_000),
      run,
      addText: (id, terms) =>
        run("INSERT INTO roster.room_search VALUES (?, ?)", [id, searchKeysText(id, terms)]),
      async [Symbol.asyncDispose]() {
        await sql.close();
        await database.drop();
      },
    };
  },
} as const;
