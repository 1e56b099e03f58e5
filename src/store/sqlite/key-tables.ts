import { KeyTables } from "../key-tables.ts";

/** One writes at a time here anyway. */
export const sqliteKeys = new KeyTables({ schema: "", lock: undefined, elements: "json_each(?)" });
