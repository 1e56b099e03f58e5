import { KeyTables } from "../key-tables.ts";

/** Whoever changes keys holds this row, so that no change is seen before one with a lower number. */
export const postgresKeys = new KeyTables({
  schema: "roster.",
  lock: "SELECT 1 FROM roster.about FOR UPDATE",
  elements: "json_array_elements(?::text::json)",
});
