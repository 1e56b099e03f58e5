import { appendSqliteEvent } from "../events/sqlite-events.ts";
import { openTables } from "../open-tables.ts";
import type { TableDialect } from "../sql/table-dialect.ts";

/** The clock of the machine, in milliseconds since 1970. */
export const SQLITE_NOW = "CAST(unixepoch('subsec') * 1000 AS INTEGER)";

/** No locks: SQLite has one writer at a time. Every file has counted the bytes of its events from its beginning. */
export const sqliteTableDialect: TableDialect = {
  schema: "",
  state: "directory",
  now: SQLITE_NOW,
  elements: "json_each(?)",
  lockRows: "",
  hasRoundTrips: false,
  countRows: (table) => `SELECT ${table} FROM directory`,
  nextId: (resource) =>
    `UPDATE directory SET last_${resource}_id = last_${resource}_id + 1 RETURNING last_${resource}_id`,
  lastId: () => "SELECT last_id FROM directory",
  appendEvent: appendSqliteEvent,
  publishing: undefined,
  locks: undefined,
  countEventBytes: undefined,
};

export const sqliteTables = openTables(sqliteTableDialect);
