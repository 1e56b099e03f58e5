import { appendSqliteEvent } from "../events/sqlite-events.ts";
import { SchemaTables } from "../schema/schema-tables.ts";

/** No lock: SQLite has one writer at a time. */
export const sqliteSchema = new SchemaTables({
  schema: "",
  state: "directory",
  clock: "CAST(unixepoch('subsec') * 1000 AS INTEGER)",
  appendEvent: appendSqliteEvent,
});
