import { Database, SQLiteError } from "bun:sqlite";
import { accessSync, closeSync, constants, existsSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import {
  type DatabaseRecord,
  isOutdated,
  type MigrationState,
  type RecordedMigration,
  readState,
  schemaOutdated,
} from "../migration.ts";
import { compareParts, type KnownParts } from "../parts.ts";
import { StoreError } from "../store-error.ts";
import { unfinishedMove } from "../unfinished-move.ts";
import { migrations } from "./migrations/index.ts";
import knownParts from "./migrations/parts.json" with { type: "json" };
import { readParts } from "./read-parts.ts";

/** "Rstr", in the header of the file: identifies a Roster database. */
const APPLICATION_ID = 0x52737472;

/** Opens a file, creates it if it is missing, and migrates its schema. Fails with a `StoreError`. */
export function openDatabase(path: string, waitMs: number): Database {
  return openAndMigrate(path, waitMs).db;
}

/** Opens an existing file whose schema is up to date. Fails with a `StoreError`. */
export function openMigrated(path: string, waitMs: number): Database {
  if (!existsSync(path)) {
    throw new StoreError(
      `There is no database at ${path}: run \`roster migrate\` first, or serve it without ROSTER_MIGRATE=off.`,
    );
  }
  return withNewConnection(path, waitMs, false, (db) => {
    requireRosterFile(db, path);
    const state = migrationState(db, path);
    if (isOutdated(state)) throw schemaOutdated(state);
    retryWhileBusy(waitMs, () => applySettings(db));
    readEachTable(db);
    return db;
  });
}

/** Opens a file without changing it. Its schema may be outdated. Fails with a `StoreError`. */
export function openUnchanged(path: string, waitMs: number): { db: Database; state: MigrationState } {
  // A read-only connection would leave the log's index beside the file.
  return withNewConnection(path, waitMs, false, (db) => {
    requireRosterFile(db, path);
    const state = migrationState(db, path);
    if (state.version === 0) throw new StoreError(`${path} is empty: it has no Roster tables.`);
    return { db, state };
  });
}

/** The state of an early file, whose rows have to be copied into new tables. Fails with a `StoreError`. */
export function earlierState(path: string, waitMs: number): MigrationState | undefined {
  if (!existsSync(path)) return undefined;
  return withNewConnection(path, waitMs, false, (db) => {
    requireRosterFile(db, path);
    const state = migrationState(db, path);
    db.close();
    return state.isEarlier ? state : undefined;
  });
}

/** Migrates the schema, creates the file if it is missing, and returns the state before. Fails with a `StoreError`. */
export function migrateDatabase(path: string, waitMs: number): MigrationState {
  const { db, before } = openAndMigrate(path, waitMs);
  db.close();
  return before;
}

/** Opens the only connection to a migrated file. Fails with a `StoreError` if there are others. */
export function connectExclusively(path: string, waitMs: number): Database {
  return withNewConnection(path, waitMs, false, (db) => {
    db.run("PRAGMA locking_mode = EXCLUSIVE");
    retryWhileBusy(waitMs, () => applySettings(db));
    return db;
  });
}

/** Fails with a `StoreError` if a move into the database is unfinished. */
export function rejectUnfinishedMove(db: Database, path: string): void {
  const row = withStoreErrors(path, () => db.query<{ mark: string }, []>("SELECT mark FROM moving").get());
  if (row) throw unfinishedMove(path, row.mark);
}

/** Converts errors of SQLite to `StoreError`. */
export function withStoreErrors<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw toStoreError(error, path);
  }
}

/** Opens a connection and runs `work` on it. Closes it if that fails: an unused connection would block others. */
function withNewConnection<T>(path: string, waitMs: number, create: boolean, work: (db: Database) => T): T {
  return withStoreErrors(path, () => {
    rejectFolder(path);
    rejectUnknownDatabase(path);
    const db = new Database(path, { create, readwrite: true, strict: true });
    try {
      db.run(`PRAGMA busy_timeout = ${waitMs}`);
      return work(db);
    } catch (error) {
      db.close();
      throw error;
    }
  });
}

function openAndMigrate(path: string, waitMs: number): { db: Database; before: MigrationState } {
  rejectFolder(path);
  ensureWritable(path);
  return withNewConnection(path, waitMs, true, (db) => {
    requireRosterFile(db, path);
    const state = migrationState(db, path);
    if (state.isEarlier) throw schemaOutdated(state);
    retryWhileBusy(waitMs, () => applySettings(db));
    const before = migrate(db, path);
    readEachTable(db);
    return { db, before };
  });
}

/** Opens another connection to a migrated file, for a thread. */
export function connect(path: string, waitMs: number): Database {
  const db = new Database(path, { create: false, readwrite: true, strict: true });
  db.run(`PRAGMA busy_timeout = ${waitMs}`);
  applySettings(db);
  return db;
}

/** Moves the contents of the log into the file: the file alone is then the whole database. */
export function checkpoint(db: Database, waitMs: number): void {
  const deadline = performance.now() + waitMs;
  const isDone = () => db.query<{ busy: number }, []>("PRAGMA wal_checkpoint(TRUNCATE)").get()?.busy === 0;
  // SQLite does not wait for a connection that is being closed.
  while (!isDone() && performance.now() < deadline) Bun.sleepSync(5);
}

/** What a caller gets if `isBusy`. */
export const LOCKED = "Another program keeps the database locked. Try again shortly.";

/** Another program has locked the database. The operation can be retried. */
export function isBusy(error: unknown): boolean {
  return error instanceof SQLiteError && (error.code ?? "").startsWith("SQLITE_BUSY");
}

function rejectFolder(path: string): void {
  // existsSync is false for a path below a file, where statSync throws. ensureWritable reports such a path.
  if (!existsSync(path) || !statSync(path).isDirectory()) return;
  throw new StoreError(
    `${path} is a folder. Choose a file in it with DATABASE_URL, like ${join(path, "roster.db")}.`,
  );
}

/** Creates the folder of a file if it is missing. Fails with a `StoreError`, also if the folder is not writable. */
export function ensureFolder(path: string): void {
  const folder = dirname(resolve(path));
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK);
  } catch {
    throw new StoreError(cannotWrite(folder));
  }
}

function ensureWritable(path: string): void {
  ensureFolder(path);
  try {
    if (existsSync(path)) accessSync(path, constants.R_OK | constants.W_OK);
    // The file holds every user: only its owner may read it. SQLite's files beside it get the same permissions.
    else closeSync(openSync(path, "a", 0o600));
  } catch {
    throw new StoreError(cannotWrite(path));
  }
}

/**
 * Checks with a read-only connection that a file with a log is Roster's, and that this program knows its tables. A writable
 * connection would move the log into the file when it closes, and so change it. Other errors are left to the next connection.
 */
function rejectUnknownDatabase(path: string): void {
  if (!existsSync(`${path}-wal`)) return;
  try {
    const db = new Database(path, { readonly: true });
    try {
      requireRosterFile(db, path);
      migrationState(db, path);
    } finally {
      db.close();
    }
  } catch (error) {
    if (!(error instanceof SQLiteError)) throw error;
  }
}

/**
 * Fails with a `StoreError` if the file belongs to another program. Reads one snapshot: another process may be creating
 * Roster's schema.
 */
export function requireRosterFile(db: Database, path: string): void {
  const isForeign = db.transaction(() => {
    const { application_id } = pragma<{ application_id: number }>(db, "application_id");
    if (application_id === APPLICATION_ID) return false;
    return application_id !== 0 || Boolean(db.query("SELECT 1 FROM sqlite_schema LIMIT 1").get());
  });
  if (isForeign()) {
    throw new StoreError(
      `${path} is the SQLite database of another program. Choose another file with DATABASE_URL.`,
    );
  }
}

/** Retries until `waitMs` has passed: SQLite does not wait for the lock when it switches to WAL. */
function retryWhileBusy(waitMs: number, work: () => void): void {
  const deadline = performance.now() + waitMs;
  for (;;) {
    try {
      work();
      return;
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error;
      Bun.sleepSync(5);
    }
  }
}

function applySettings(db: Database): void {
  db.run("PRAGMA journal_mode = WAL");
  db.run("PRAGMA synchronous = FULL");
  db.run("PRAGMA cache_size = -2048"); // KiB
  db.run("PRAGMA wal_autocheckpoint = 4000"); // pages: fewer, larger checkpoints
  db.run("PRAGMA journal_size_limit = 67108864");
}

/** Runs the missing migrations and records them, each in a transaction. Safe with several processes. */
function migrate(db: Database, path: string): MigrationState {
  const before = migrationState(db, path);
  const step = db.transaction(() => {
    const { version, isRecorded } = migrationState(db, path);
    if (!isRecorded) {
      db.run(
        "CREATE TABLE migrations (name TEXT PRIMARY KEY, digest TEXT NOT NULL, applied_at INTEGER) STRICT",
      );
      for (const { name, digest } of migrations.slice(0, version)) record(db, name, digest, null);
    }
    const next = migrations[version];
    if (next === undefined) return;
    db.run(next.sql);
    record(db, next.name, next.digest, Date.now());
    db.run(`PRAGMA user_version = ${version + 1}`);
    db.run(`PRAGMA application_id = ${APPLICATION_ID}`);
  });
  for (let state = before; isOutdated(state) || !state.isRecorded; state = migrationState(db, path)) {
    step.immediate();
  }
  return before;
}

function record(db: Database, name: string, digest: string, appliedAt: number | null): void {
  db.query("INSERT INTO migrations VALUES (?, ?, ?)").run(name, digest, appliedAt);
}

/** Which migrations the file has had. Fails with a `StoreError` if this program does not know its tables. */
export function migrationState(db: Database, path: string): MigrationState {
  const read = () => readState(path, readRecord(db), migrations, knownParts, () => readParts(db));
  // One snapshot: another process may be migrating the file.
  return db.inTransaction ? read() : db.transaction(read)();
}

function readRecord(db: Database): DatabaseRecord {
  const { user_version: version } = pragma<{ user_version: number }>(db, "user_version");
  const isRecorded = db.query("SELECT 1 FROM sqlite_schema WHERE name = 'migrations'").get() !== null;
  if (!isRecorded) return { version, migrations: undefined };
  const rows = db.query<RecordedMigration, []>("SELECT name, digest FROM migrations ORDER BY name").all();
  return { version, migrations: rows };
}

/** Opens an up-to-date file, and returns what is missing or different in its tables. Fails with a `StoreError`. */
export function readTableProblems(path: string, waitMs: number): string[] {
  const { db } = openUnchanged(path, waitMs);
  try {
    return findTableProblems(db);
  } finally {
    db.close();
  }
}

/** What is missing or different in the tables of an up-to-date file. */
export function findTableProblems(db: Database): string[] {
  const { name } = migrations.at(-1) ?? {};
  const expected: KnownParts = knownParts;
  return compareParts(expected[name ?? ""] ?? {}, readParts(db));
}

/** Detects damage at the start of a table before the first request. A full check would take too long. */
function readEachTable(db: Database): void {
  const tables = db.query<{ name: string }, []>("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  for (const { name } of tables) {
    const statement = db.prepare(`SELECT * FROM "${name}" LIMIT 1`);
    try {
      statement.get();
    } finally {
      // An open statement would keep the file open.
      statement.finalize();
    }
  }
}

function pragma<Row>(db: Database, name: keyof Row & string): Row {
  const row = db.query<Row, []>(`PRAGMA ${name}`).get();
  if (!row) throw new StoreError(`SQLite returned no value for PRAGMA ${name}.`);
  return row;
}

/** Whether the error means that the file is damaged. */
export function isCorruption(error: unknown): boolean {
  const cause = error instanceof StoreError ? error.cause : error;
  return cause instanceof SQLiteError && (cause.code ?? "").startsWith("SQLITE_CORRUPT");
}

function toStoreError(error: unknown, path: string): unknown {
  return error instanceof SQLiteError ? new StoreError(describeError(error, path), { cause: error }) : error;
}

function cannotWrite(path: string): string {
  return `Cannot write to ${path}: give this user write permission there, or choose another file with DATABASE_URL.`;
}

function describeError(error: SQLiteError, path: string): string {
  // The code may have a suffix, as in SQLITE_CORRUPT_VTAB.
  switch (error.code?.split("_").slice(0, 2).join("_")) {
    case "SQLITE_NOTADB":
      return `${path} is not an SQLite database: choose another file with DATABASE_URL.`;
    case "SQLITE_CORRUPT":
      return `${path} is damaged: restore a backup.`;
    case "SQLITE_CANTOPEN":
    case "SQLITE_READONLY":
      return cannotWrite(path);
    case "SQLITE_FULL":
      return `The disk of ${path} is full: free some space.`;
    default:
      return isBusy(error)
        ? `${path} is locked by another program: stop that program, or choose another file with DATABASE_URL.`
        : `Cannot use ${path}: ${error.message}.`;
  }
}
