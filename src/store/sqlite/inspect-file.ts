import { constants, Database, SQLiteError } from "bun:sqlite";
import { existsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { monthOf } from "../../domain/keys/key-ring.ts";
import type { DatabaseContents, DatabaseFacts } from "../database-facts.ts";
import { isOutdated } from "../migration.ts";
import type { SqlValue } from "../sql/sql.ts";
import { runSteps, type SqlSteps } from "../sql/sql-steps.ts";
import { unfinishedMove } from "../unfinished-move.ts";
import { findMovingValues } from "../users/moving-values.ts";
import { findTableProblems, migrationState, requireRosterFile, withStoreErrors } from "./database.ts";
import { migrations } from "./migrations/index.ts";
import { sqliteTableDialect, sqliteTables } from "./table-dialect.ts";

export interface FileFacts extends DatabaseFacts {
  readonly engine: "sqlite";
  /** Errors from SQLite's integrity check. */
  readonly damage: readonly string[];
  /** False if the file is large: then only its small tables were checked. */
  readonly checkedWholeFile: boolean;
  /** Whether a log beside the file was not read, because reading it would change files. */
  readonly unreadLog: boolean;
}

/** Checking this much takes about two seconds. */
const QUICK_BYTES = 512 * 1024 * 1024;
const MAX_ERRORS = 3;
/** Tables that grow with the number of users or groups. */
const LARGE_TABLE = /^(user|group)/;

/** Inspects an existing file and creates none beside it. Fails with a `StoreError`. */
export function inspectFile(path: string, waitMs: number, thorough: boolean): FileFacts {
  return withStoreErrors(path, () => {
    const [log, index] = ["-wal", "-shm"].map((suffix) => existsSync(path + suffix));
    const db = log && index ? new Database(path, { readonly: true }) : openImmutable(path);
    try {
      db.run(`PRAGMA busy_timeout = ${waitMs}`);
      requireRosterFile(db, path);
      const schema = migrationState(db, path);
      const checkedWholeFile = thorough || statSync(path).size <= QUICK_BYTES;
      const damage = findDamage(db, checkedWholeFile);
      const tableProblems = isOutdated(schema) ? [] : findTableProblems(db);
      const isSound = damage.length === 0 && tableProblems.length === 0;
      return {
        engine: "sqlite",
        schema,
        tableProblems,
        damage,
        checkedWholeFile,
        // A service that has stopped may leave an empty log.
        unreadLog: log === true && index !== true && statSync(`${path}-wal`).size > 0,
        contents: isSound && !isOutdated(schema) ? readContents(db, path) : undefined,
        moving: isSound ? readSteps(db, findMovingValues(sqliteTableDialect, schema, migrations)) : undefined,
      };
    } finally {
      db.close();
    }
  });
}

export function sqliteVersion(): string {
  const db = new Database(":memory:");
  const [row] = db.query<unknown, []>("SELECT sqlite_version()").values();
  db.close();
  return String(row?.[0]);
}

/**
 * Even a read-only connection creates a missing log and its index, owned by the current user, and never removes them: a
 * service that runs as another user could then not use the file. If one of the two is missing, no other process has the
 * file open, and it can be opened as immutable.
 */
function openImmutable(path: string): Database {
  const { href } = Bun.pathToFileURL(resolve(path));
  return new Database(`${href}?immutable=1`, constants.SQLITE_OPEN_READONLY | constants.SQLITE_OPEN_URI);
}

function findDamage(db: Database, wholeFile: boolean): string[] {
  const check = (scope: string | number) =>
    db
      .query<unknown, []>(`PRAGMA quick_check(${scope})`)
      .values()
      .map(([message]) => String(message))
      .filter((message) => message !== "ok");
  try {
    if (wholeFile) return check(MAX_ERRORS);
    const tables = db.query<unknown, []>("SELECT name FROM sqlite_schema WHERE type = 'table'").values();
    return tables
      .map(([name]) => String(name))
      .filter((name) => !LARGE_TABLE.test(name))
      .flatMap(check)
      .slice(0, MAX_ERRORS);
  } catch (error) {
    // Some damage stops the check itself.
    if (error instanceof SQLiteError && error.code?.startsWith("SQLITE_CORRUPT")) return [error.message];
    throw error;
  }
}

function readContents(db: Database, path: string): DatabaseContents {
  const value = (text: string) => db.query<unknown, []>(text).values()[0]?.[0] ?? undefined;
  const moveState = value("SELECT mark FROM moving");
  const lastChange = value("SELECT max(updated_at) FROM users");
  return {
    unfinishedMove: moveState === undefined ? undefined : unfinishedMove(path, String(moveState)).message,
    lastChange: lastChange === undefined ? undefined : Number(lastChange),
    keys: readSteps(db, sqliteTables.keys.list(0, Number.MAX_SAFE_INTEGER, monthOf(Date.now()))),
  };
}

function readSteps<T>(db: Database, steps: SqlSteps<T>): T {
  return runSteps(steps, ({ text, values }) => db.query<unknown, SqlValue[]>(text).values(...values));
}
