import { appendPostgresEvent } from "../events/postgres-events.ts";
import { KeyTables } from "../keys/key-tables.ts";

/** Changes of keys lock this row: no node sees a change before one with a lower number. */
export const postgresKeys = new KeyTables({
  schema: "roster.",
  lock: "SELECT 1 FROM roster.about FOR UPDATE",
  elements: "json_array_elements(?::text::json)",
  appendEvent: appendPostgresEvent,
});
