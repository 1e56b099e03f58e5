import { constants, Database, SQLiteError } from "bun:sqlite";
import { existsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { monthOf } from "../../domain/key-ring.ts";
import type { DatabaseContents, DatabaseFacts } from "../database-facts.ts";
import { runSteps } from "../lists/sql-steps.ts";
import { unfinishedMove } from "../move-state.ts";
import { requireRosterFile, schemaState, withStoreErrors } from "./database.ts";
import { sqliteKeys } from "./key-tables.ts";

export interface FileFacts extends DatabaseFacts {
  readonly engine: "sqlite";
  /** What SQLite finds wrong with the file. */
  readonly damage: readonly string[];
  /** Whether all of it was looked at: not where it is so large that that takes long. */
  readonly checkedWholeFile: boolean;
  /** Whether there is a log beside it that could not be read without changing anything. */
  readonly unreadLog: boolean;
}

/** About as much as is looked through in two seconds. */
const QUICK_BYTES = 512 * 1024 * 1024;
const SHOWN_FAULTS = 3;
/** What grows with the users. */
const LARGE = /^user/;

/** Looks at a file that is there, and makes none beside it. Fails with a `StoreError`. */
export function inspectFile(path: string, waitMs: number, thorough: boolean): FileFacts {
  return withStoreErrors(path, () => {
    const [log, index] = ["-wal", "-shm"].map((end) => existsSync(path + end));
    const db = log && index ? new Database(path, { readonly: true }) : openImmutable(path);
    try {
      db.run(`PRAGMA busy_timeout = ${waitMs}`);
      requireRosterFile(db, path);
      const schema = schemaState(db, path);
      const checkedWholeFile = thorough || statSync(path).size <= QUICK_BYTES;
      const damage = findDamage(db, checkedWholeFile);
      const readable = damage.length === 0 && schema.version === schema.latest;
      return {
        engine: "sqlite",
        schema,
        damage,
        checkedWholeFile,
        unreadLog: log === true && index !== true,
        contents: readable ? readContents(db, path) : undefined,
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
 * Whoever only reads still makes the log and its index where there are none, as whoever runs this, and nobody removes
 * them: a service that runs as somebody else could then not use the file. Where there are not both, nobody else has the
 * file open, and it is read as what does not change.
 */
function openImmutable(path: string): Database {
  const { href } = Bun.pathToFileURL(resolve(path));
  return new Database(`${href}?immutable=1`, constants.SQLITE_OPEN_READONLY | constants.SQLITE_OPEN_URI);
}

function findDamage(db: Database, whole: boolean): string[] {
  const check = (what: string | number) =>
    db
      .query<unknown, []>(`PRAGMA quick_check(${what})`)
      .values()
      .map(([fault]) => String(fault))
      .filter((fault) => fault !== "ok");
  try {
    if (whole) return check(SHOWN_FAULTS);
    const tables = db.query<unknown, []>("SELECT name FROM sqlite_schema WHERE type = 'table'").values();
    return tables
      .map(([name]) => String(name))
      .filter((name) => !LARGE.test(name))
      .flatMap(check)
      .slice(0, SHOWN_FAULTS);
  } catch (error) {
    // Some damage keeps it from looking any further.
    if (error instanceof SQLiteError && error.code?.startsWith("SQLITE_CORRUPT")) return [error.message];
    throw error;
  }
}

function readContents(db: Database, path: string): DatabaseContents {
  const value = (text: string) => db.query<unknown, []>(text).values()[0]?.[0] ?? undefined;
  const mark = value("SELECT mark FROM moving");
  const last = value("SELECT max(updated_at) FROM users");
  return {
    unfinishedMove: mark === undefined ? undefined : unfinishedMove(path, String(mark)).message,
    lastChange: last === undefined ? undefined : Number(last),
    keys: runSteps(sqliteKeys.list(0, Number.MAX_SAFE_INTEGER, monthOf(Date.now())), ({ text, values }) =>
      db.query<unknown, (string | number | null)[]>(text).values(...values),
    ),
  };
}
