import { Database } from "bun:sqlite";
import { emptiedTables, type LastValues } from "../archive.ts";
import { sequenceStatements } from "./archive-tables.ts";
import { withStoreErrors } from "./database.ts";

/**
 * Turns the copy of a database into a separate one: its own identity, no sessions, no log file, no backup. Its sequences continue
 * after these values.
 */
export function detachCopy(path: string, lastValues: LastValues = new Map()): void {
  withStoreErrors(path, () => {
    const db = new Database(path, { create: false, readwrite: true, strict: true });
    try {
      db.run("PRAGMA journal_mode = DELETE");
      db.run("UPDATE directory SET identity = lower(hex(randomblob(16))), last_backup_at = NULL");
      for (const [name, value] of lastValues) db.query(sequenceStatements[name].raise).run(value);
      for (const name of emptiedTables) db.run(`DELETE FROM ${name}`);
    } finally {
      db.close();
    }
  });
}
