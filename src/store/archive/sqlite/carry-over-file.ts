import type { Database } from "bun:sqlite";
import { existsSync, realpathSync, rmSync, statSync } from "node:fs";
import { fileError, replaceFile } from "../../partial-file.ts";
import {
  connectExclusively,
  earlierState,
  isBusy,
  migrateDatabase,
  migrationState,
  withStoreErrors,
} from "../../sqlite/database.ts";
import { StoreError } from "../../store-error.ts";
import { EarlierSource } from "../earlier/earlier-source.ts";
import { type MoveProgress, move } from "../move.ts";
import { type MoveState, parseMoveState, serializeMoveState } from "../move-state.ts";
import { removeLog, removeMoveState, setMoveState } from "./exclusive-file.ts";
import { SqliteArchive } from "./sqlite-archive.ts";

/** How long each attempt waits until this process is the only one that uses the file. */
const ATTEMPT_MS = 100;

/**
 * Copies an early file into a new one beside it, which then replaces it. Until then, the early file does not change, and nobody else
 * can use it. After an interruption, another call continues. Fails with a `StoreError`.
 */
export async function carryOverFile(
  name: string,
  waitMs: number,
  report: (progress: MoveProgress) => void,
): Promise<void> {
  const path = realpathSync(name);
  const deadline = performance.now() + waitMs;
  // Another process may replace the file at any time, and then serve it.
  while (earlierState(path, waitMs)) {
    const { ino } = statSync(path);
    const db = tryExclusively(path, performance.now() > deadline);
    if (!db) continue;
    try {
      if (statSync(path).ino !== ino || !migrationState(db, path).isEarlier) continue;
      return await copyAndReplace(db, path, waitMs, report);
    } finally {
      db.close();
    }
  }
}

/** The only connection to the file; undefined if there are others, unless this is the last attempt. */
function tryExclusively(path: string, isLast: boolean): Database | undefined {
  try {
    return connectExclusively(path, ATTEMPT_MS);
  } catch (error) {
    if (isLast || !(error instanceof StoreError) || !isBusy(error.cause)) throw error;
    return undefined;
  }
}

async function copyAndReplace(
  db: Database,
  path: string,
  waitMs: number,
  report: (progress: MoveProgress) => void,
): Promise<void> {
  const archive = new SqliteArchive(db, path, waitMs);
  const interrupted = await archive.moveState();
  // Interrupted just before the file was replaced.
  if (interrupted !== undefined && parseMoveState(interrupted).command === "migrate") removeMoveState(db);
  const source = openEarlierFile(db, path, waitMs);
  const copy = `${path}.migrating`;
  const target = await openCopy(copy, source.identity, waitMs);
  try {
    const filling = new SqliteArchive(target, copy, waitMs).optimizeForFilling();
    copySessions(db, target, copy);
    await move(source, filling, report, { command: "migrate" });
    withStoreErrors(copy, () => target.query("UPDATE directory SET identity = ?").run(source.identity));
    await filling.close();
  } finally {
    target.close();
  }
  const state: MoveState = {
    sourceIdentity: source.identity,
    sourceName: path,
    command: "migrate",
    run: crypto.randomUUID(),
    stale: true,
    table: undefined,
    after: undefined,
  };
  setMoveState(db, serializeMoveState(state));
  try {
    removeLog(db, path);
    replaceFile(path, copy);
  } catch (error) {
    removeMoveState(db);
    throw error;
  }
}

/** The tables of an early file. */
export function openEarlierFile(db: Database, displayName: string, waitMs: number): EarlierSource {
  const archive = new SqliteArchive(db, displayName, waitMs);
  const number = async (text: string) =>
    withStoreErrors(displayName, () => Number(db.query<unknown, []>(text).values()[0]?.[0]));
  return new EarlierSource({
    displayName,
    identity: archive.identity,
    moveState: () => archive.moveState(),
    lastUserId: () => number("SELECT last_id FROM directory"),
    count: (table) =>
      number(table === "users" ? "SELECT users FROM directory" : `SELECT count(*) FROM ${table}`),
    read: (table, after, limit) => archive.read(table, after, limit),
    close: () => archive.close(),
  });
}

/** Opens the unfinished copy of this file, or creates a new one. */
async function openCopy(path: string, identity: string, waitMs: number): Promise<Database> {
  if (existsSync(path)) {
    const found = await findCopy(path, identity, waitMs);
    if (found) return found;
    removeFiles(path);
  }
  migrateDatabase(path, waitMs);
  return connectExclusively(path, waitMs);
}

function removeFiles(path: string): void {
  try {
    for (const suffix of ["", "-wal", "-shm", "-journal"]) rmSync(path + suffix, { force: true });
  } catch (error) {
    throw fileError(error, path);
  }
}

/** The unfinished copy, unless it is damaged or a copy of another file. */
async function findCopy(path: string, identity: string, waitMs: number): Promise<Database | undefined> {
  try {
    migrateDatabase(path, waitMs);
    const db = connectExclusively(path, waitMs);
    const state = await new SqliteArchive(db, path, waitMs).moveState();
    if (state !== undefined && parseMoveState(state).sourceIdentity === identity) return db;
    db.close();
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
  }
  return undefined;
}

/** Sessions are not part of a move between databases. */
function copySessions(from: Database, to: Database, path: string): void {
  withStoreErrors(path, () => {
    const insert = to.prepare<unknown, [string, string, number]>(
      "INSERT OR IGNORE INTO sessions VALUES (?, ?, ?)",
    );
    const select = from.prepare<{ digest: string; key_digest: string; expires_at: number }, []>(
      "SELECT digest, key_digest, expires_at FROM sessions",
    );
    to.transaction(() => {
      for (const { digest, key_digest, expires_at } of select.iterate())
        insert.run(digest, key_digest, expires_at);
    })();
    insert.finalize();
    select.finalize();
  });
}
