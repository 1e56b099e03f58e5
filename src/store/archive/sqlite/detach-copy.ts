import { Database } from "bun:sqlite";
import { commandOrigin } from "../../../domain/caller.ts";
import type { SqlValue } from "../../sql/sql.ts";
import { runSteps, type SqlSteps } from "../../sql/sql-steps.ts";
import { withStoreErrors } from "../../sqlite/database.ts";
import { sqliteTables } from "../../sqlite/table-dialect.ts";
import { emptiedTables, type LastValues } from "../archive.ts";
import { sequenceStatements } from "./archive-tables.ts";

/** Turns the copy of a database into a separate one without a log file, as `detach` does. */
export function detachCopy(path: string, lastValues: LastValues = new Map()): void {
  changeCopy(path, (db) => {
    db.run("PRAGMA journal_mode = DELETE");
    detach(db, lastValues);
  });
}

/** Makes a database a separate one: its own identity, no sessions, no backup. Its sequences continue after these values. */
export function detach(db: Database, lastValues: LastValues): void {
  db.run("UPDATE directory SET identity = lower(hex(randomblob(16))), last_backup_at = NULL");
  for (const [name, value] of lastValues) db.query(sequenceStatements[name].raise).run(value);
  for (const name of emptiedTables) db.run(`DELETE FROM ${name}`);
}

/** Disables the webhooks of a restored copy. */
export function disableCopiedWebhooks(path: string): void {
  changeCopy(path, disableWebhooks);
}

/** Disables every webhook of a restored file. */
export function disableWebhooks(db: Database): void {
  runOn(db, sqliteTables.webhooks.disableAll("restored", commandOrigin));
}

/** Runs the steps in the transaction of the caller. */
export function runOn<T>(db: Database, steps: SqlSteps<T>): T {
  return runSteps(steps, ({ text, values }) => db.query<unknown, SqlValue[]>(text).values(...values));
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
