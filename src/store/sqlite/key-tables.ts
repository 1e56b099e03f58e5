import { appendSqliteEvent } from "../events/sqlite-events.ts";
import { KeyTables } from "../keys/key-tables.ts";

/** No lock: SQLite has one writer at a time. */
export const sqliteKeys = new KeyTables({
  schema: "",
  lock: undefined,
  elements: "json_each(?)",
  appendEvent: appendSqliteEvent,
});
