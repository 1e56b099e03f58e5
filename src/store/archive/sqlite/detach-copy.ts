import { Database } from "bun:sqlite";
import { commandOrigin } from "../../../domain/caller.ts";
import type { SqlValue } from "../../sql/sql.ts";
import { runSteps } from "../../sql/sql-steps.ts";
import { withStoreErrors } from "../../sqlite/database.ts";
import { sqliteTables } from "../../sqlite/table-dialect.ts";
import { emptiedTables, type LastValues } from "../archive.ts";
import { sequenceStatements } from "./archive-tables.ts";

/**
 * Turns the copy of a database into a separate one: its own identity, no sessions, no log file, no backup. Its sequences continue
 * after these values.
 */
export function detachCopy(path: string, lastValues: LastValues = new Map()): void {
  changeCopy(path, (db) => {
    db.run("PRAGMA journal_mode = DELETE");
    db.run("UPDATE directory SET identity = lower(hex(randomblob(16))), last_backup_at = NULL");
    for (const [name, value] of lastValues) db.query(sequenceStatements[name].raise).run(value);
    for (const name of emptiedTables) db.run(`DELETE FROM ${name}`);
  });
}

/** Disables the webhooks of a restored copy. */
export function disableCopiedWebhooks(path: string): void {
  changeCopy(path, disableWebhooks);
}

/** Disables every webhook of a restored file. */
export function disableWebhooks(db: Database): void {
  const steps = sqliteTables.webhooks.disableAll("restored", commandOrigin);
  runSteps(steps, ({ text, values }) => db.query<unknown, SqlValue[]>(text).values(...values));
}

function changeCopy(path: string, change: (db: Database) => void): void {
  withStoreErrors(path, () => {
    const db = new Database(path, { create: false, readwrite: true, strict: true });
    try {
      change(db);
    } finally {
      db.close();
    }
  });
}
