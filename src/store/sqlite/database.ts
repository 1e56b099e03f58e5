import { Database, SQLiteError } from "bun:sqlite";
import { accessSync, closeSync, constants, existsSync, mkdirSync, openSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { unfinishedMove } from "../move-state.ts";
import { type SchemaState, schemaOutdated } from "../schema-state.ts";
import { StoreError } from "../store-error.ts";
import { migrations } from "./migrations/index.ts";

/** "Rstr", in the file's header: tells a Roster database from any other. */
const APPLICATION_ID = 0x52737472;

/** Opens the file, makes it if there is none, and brings its schema up to date. Fails with a `StoreError`. */
export function openDatabase(path: string, waitMs: number): Database {
  return openAndMigrate(path, waitMs).db;
}

/** Opens a file that is there and has the schema of this program. Fails with a `StoreError`. */
export function openMigrated(path: string, waitMs: number): Database {
  if (!existsSync(path)) {
    throw new StoreError(
      `There is no database at ${path}: run \`roster migrate\` first, or serve it without ROSTER_MIGRATE=off.`,
    );
  }
  return withNewConnection(path, waitMs, false, (db) => {
    requireRosterFile(db, path);
    const state = schemaState(db, path);
    if (state.version < state.latest) throw schemaOutdated(state);
    retryWhileBusy(waitMs, () => applySettings(db));
    readEachTable(db);
    return db;
  });
}

/**
 * Opens a file to read it as it is: nothing about it is changed. Its schema may be behind. Fails with a `StoreError`.
 */
export function openUnchanged(path: string, waitMs: number): { db: Database; state: SchemaState } {
  // One that could only read would leave beside the file what has to be there to read a log.
  return withNewConnection(path, waitMs, false, (db) => {
    requireRosterFile(db, path);
    const state = schemaState(db, path);
    if (state.version === 0) throw new StoreError(`${path} is empty: Roster has no tables there.`);
    return { db, state };
  });
}

/** Brings the schema up to date, in a new file if there is none; says what it was. Fails with a `StoreError`. */
export function migrateDatabase(path: string, waitMs: number): SchemaState {
  const { db, before } = openAndMigrate(path, waitMs);
  db.close();
  return before;
}

/** The only connection there is to a file that `openDatabase` has prepared. Fails with a `StoreError` if it is not. */
export function connectExclusively(path: string, waitMs: number): Database {
  return withNewConnection(path, waitMs, false, (db) => {
    db.run("PRAGMA locking_mode = EXCLUSIVE");
    retryWhileBusy(waitMs, () => applySettings(db));
    return db;
  });
}

/** Fails with a `StoreError` while a move into the database is unfinished. */
export function rejectUnfinishedMove(db: Database, path: string): void {
  const row = withStoreErrors(path, () => db.query<{ mark: string }, []>("SELECT mark FROM moving").get());
  if (row) throw unfinishedMove(path, row.mark);
}

/** Does something with a database, and fails with a `StoreError` where SQLite does. */
export function withStoreErrors<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw toStoreError(error, path);
  }
}

/** Does something with a new connection first, which is closed if that fails: nobody has to wait for what nobody uses. */
function withNewConnection<T>(path: string, waitMs: number, create: boolean, work: (db: Database) => T): T {
  return withStoreErrors(path, () => {
    checkReadOnly(path);
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

function openAndMigrate(path: string, waitMs: number): { db: Database; before: SchemaState } {
  ensureWritable(path);
  return withNewConnection(path, waitMs, true, (db) => {
    requireRosterFile(db, path);
    retryWhileBusy(waitMs, () => applySettings(db));
    const before = migrate(db, path);
    readEachTable(db);
    return { db, before };
  });
}

/** One more connection to a file that `openDatabase` has prepared, for another thread. */
export function connect(path: string, waitMs: number): Database {
  const db = new Database(path, { create: false, readwrite: true, strict: true });
  db.run(`PRAGMA busy_timeout = ${waitMs}`);
  applySettings(db);
  return db;
}

/** Moves what the log holds into the file, so that the file alone is the database. */
export function checkpoint(db: Database, waitMs: number): void {
  const deadline = performance.now() + waitMs;
  const isDone = () => db.query<{ busy: number }, []>("PRAGMA wal_checkpoint(TRUNCATE)").get()?.busy === 0;
  // SQLite does not wait by itself for a connection that is just being closed.
  while (!isDone() && performance.now() < deadline) Bun.sleepSync(5);
}

/** Another program holds the database; whatever was asked can be asked again. */
export function isBusy(error: unknown): boolean {
  return error instanceof SQLiteError && (error.code ?? "").startsWith("SQLITE_BUSY");
}

function ensureWritable(path: string): void {
  const folder = dirname(resolve(path));
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK);
    if (existsSync(path)) accessSync(path, constants.R_OK | constants.W_OK);
    // Whoever can read it can read every user; what SQLite puts beside it gets the same permissions.
    else closeSync(openSync(path, "a", 0o600));
  } catch {
    throw new StoreError(
      `Cannot write to ${existsSync(path) ? path : folder}: give this user write permission there, or choose another file with DATABASE_URL.`,
    );
  }
}

/**
 * A log beside the file is moved into it by whoever closes it last, unless that one could only read: a database of
 * some other program is to stay as it was left. What cannot be found out so is found out by the connection that follows.
 */
function checkReadOnly(path: string): void {
  if (!existsSync(`${path}-wal`)) return;
  try {
    const db = new Database(path, { readonly: true });
    try {
      requireRosterFile(db, path);
    } finally {
      db.close();
    }
  } catch (error) {
    if (!(error instanceof SQLiteError)) throw error;
  }
}

/**
 * Fails with a `StoreError` for what is no Roster's. Looks at one moment of the file: another Roster may be making its
 * schema just now.
 */
export function requireRosterFile(db: Database, path: string): void {
  const foreign = db.transaction(() => {
    const { application_id } = pragma<{ application_id: number }>(db, "application_id");
    if (application_id === APPLICATION_ID) return false;
    return application_id !== 0 || Boolean(db.query("SELECT 1 FROM sqlite_schema LIMIT 1").get());
  });
  if (foreign()) {
    throw new StoreError(
      `${path} is an SQLite database of some other program: Roster leaves it alone. Choose another file with DATABASE_URL.`,
    );
  }
}

/** SQLite does not wait by itself for the lock that the change to WAL takes, which two may want of a new file. */
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

/** Each migration in a transaction of its own; `user_version` counts them. Two programs may try at once. */
function migrate(db: Database, path: string): SchemaState {
  const before = schemaState(db, path);
  const done = () => schemaState(db, path).version;
  const step = db.transaction(() => {
    const next = migrations[done()];
    if (next === undefined) return;
    const version = done() + 1;
    db.run(next);
    db.run(`PRAGMA user_version = ${version}`);
    db.run(`PRAGMA application_id = ${APPLICATION_ID}`);
  });
  while (done() < migrations.length) step.immediate();
  return before;
}

/** How many migrations the file has had. Fails with a `StoreError` when it is more than this program knows. */
export function schemaState(db: Database, path: string): SchemaState {
  const { user_version: version } = pragma<{ user_version: number }>(db, "user_version");
  const latest = migrations.length;
  if (version <= latest) return { version, latest };
  throw new StoreError(
    `${path} was written by a newer Roster (schema ${version}, this one knows ${latest}): run that version or a later one.`,
  );
}

/** Damage where a table begins is told at the start, not to the callers. To look for all damage would take too long. */
function readEachTable(db: Database): void {
  const tables = db.query<{ name: string }, []>("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  for (const { name } of tables) {
    const statement = db.prepare(`SELECT * FROM "${name}" LIMIT 1`);
    try {
      statement.get();
    } finally {
      // The file is not let go of as long as one is left.
      statement.finalize();
    }
  }
}

function pragma<Row>(db: Database, name: keyof Row & string): Row {
  const row = db.query<Row, []>(`PRAGMA ${name}`).get();
  if (!row) throw new StoreError(`SQLite does not answer PRAGMA ${name}.`);
  return row;
}

/** Whether what was tried has come upon damage in the file. */
export function isCorruption(error: unknown): boolean {
  const cause = error instanceof StoreError ? error.cause : error;
  return cause instanceof SQLiteError && (cause.code ?? "").startsWith("SQLITE_CORRUPT");
}

function toStoreError(error: unknown, path: string): unknown {
  return error instanceof SQLiteError ? new StoreError(sentence(error, path), { cause: error }) : error;
}

function sentence(error: SQLiteError, path: string): string {
  // The code may be a more exact one, such as SQLITE_CORRUPT_VTAB.
  switch (error.code?.split("_").slice(0, 2).join("_")) {
    case "SQLITE_NOTADB":
      return `${path} is not an SQLite database: choose another file with DATABASE_URL.`;
    case "SQLITE_CORRUPT":
      return `${path} is damaged: put a backup in its place.`;
    case "SQLITE_CANTOPEN":
    case "SQLITE_READONLY":
      return `Cannot write to ${path}: choose another file with DATABASE_URL.`;
    case "SQLITE_FULL":
      return `There is no room left on the disk of ${path}: make some.`;
    default:
      return isBusy(error)
        ? `${path} is locked by another program: stop that one, or choose another file with DATABASE_URL.`
        : `Cannot use ${path}: ${error.message}.`;
  }
}
