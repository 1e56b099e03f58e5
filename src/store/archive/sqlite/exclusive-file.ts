import type { Database } from "bun:sqlite";
import { existsSync, rmSync } from "node:fs";
import { followLink, PartialFile } from "../../partial-file.ts";
import { connectExclusively, ensureFolder, isCorruption, migrateDatabase } from "../../sqlite/database.ts";
import type { ArchiveStats } from "../archive.ts";
import { SqliteArchive } from "./sqlite-archive.ts";

interface FileContents extends ArchiveStats {
  /** State of an unfinished move into the file. */
  readonly moveState: string | undefined;
}

/** A file that no other process can use until another file replaces it. */
export interface ExclusiveFile {
  /** Undefined if the file is too damaged to read. */
  readonly contents: FileContents | undefined;
  replaceWith(part: PartialFile): void;
  /** Removes the file if `openExclusively` has created it and nothing has replaced it. */
  release(): void;
}

/**
 * Opens a file exclusively; creates a missing one. Fails with a `StoreError` if other processes use it. A process that waits for the
 * file finds `moveState` in it if it has been created, replaced or removed, and does not serve it.
 */
export async function openExclusively(
  name: string,
  waitMs: number,
  moveState: string,
): Promise<ExclusiveFile> {
  // SQLite puts its log beside the file itself, not beside a symbolic link to it.
  const path = followLink(name);
  let isNew = !existsSync(path);
  if (isNew) createWithMoveState(path, waitMs, moveState);
  const isReadable = unlessDamaged(() => migrateDatabase(path, waitMs)) !== undefined;
  const db = unlessDamaged(() => connectExclusively(path, waitMs));
  const contents = db && isReadable ? await readContents(db, path, waitMs) : undefined;
  return {
    contents: isNew && contents ? { ...contents, moveState: undefined } : contents,
    replaceWith(part) {
      if (db && contents) setMoveState(db, moveState);
      try {
        removeLog(db, path);
        part.finish(true);
        isNew = false;
      } catch (error) {
        if (db && contents?.moveState === undefined) removeMoveState(db);
        throw error;
      }
    },
    release() {
      if (isNew) removeLog(db, path);
      db?.close();
      if (isNew) rmSync(path, { force: true });
      isNew = false;
    },
  };
}

/** Creates a database that no process serves. The file has its name once the move state is in it: a killed process leaves nothing else. */
function createWithMoveState(path: string, waitMs: number, moveState: string): void {
  ensureFolder(path);
  const part = new PartialFile(path);
  try {
    migrateDatabase(part.path, waitMs);
    const db = connectExclusively(part.path, waitMs);
    try {
      setMoveState(db, moveState);
      removeLog(db, part.path);
    } finally {
      db.close();
    }
    part.finish(false);
  } finally {
    part.discard();
  }
}

async function readContents(db: Database, path: string, waitMs: number): Promise<FileContents | undefined> {
  try {
    const archive = new SqliteArchive(db, path, waitMs);
    return { ...(await archive.stats()), moveState: await archive.moveState() };
  } catch (error) {
    if (isCorruption(error)) return undefined;
    throw error;
  }
}

/** Keeps a process that waits for this file from using it after another file has replaced it. */
export function setMoveState(db: Database, moveState: string): void {
  db.query("INSERT OR REPLACE INTO moving VALUES (1, ?, '[]')").run(moveState);
}

export function removeMoveState(db: Database): void {
  db.run("DELETE FROM moving");
}

/** SQLite would apply a leftover log to the new file. */
export function removeLog(db: Database | undefined, path: string): void {
  try {
    if (db) return void db.run("PRAGMA journal_mode = MEMORY");
  } catch {
    // A damaged file has no log worth keeping.
  }
  for (const suffix of ["-wal", "-shm", "-journal"]) rmSync(path + suffix, { force: true });
}

function unlessDamaged<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (isCorruption(error)) return undefined;
    throw error;
  }
}
