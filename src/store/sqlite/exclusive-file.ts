import type { Database } from "bun:sqlite";
import { existsSync, realpathSync, rmSync } from "node:fs";
import type { ArchiveStats } from "../archive.ts";
import type { PartialFile } from "../partial-file.ts";
import { connectExclusively, isCorruption, migrateDatabase } from "./database.ts";
import { SqliteArchive } from "./sqlite-archive.ts";

interface FileContents extends ArchiveStats {
  /** State of an unfinished move into the file. */
  readonly moveState: string | undefined;
}

/** A file that no other process can use until another file replaces it. */
export interface ExclusiveFile {
  /** Undefined if the file is too damaged to read. */
  readonly contents: FileContents | undefined;
  /** Replaces the file. A process that waited for the old file finds this move state in it, and does not serve it. */
  replaceWith(part: PartialFile, moveState: string): void;
  release(): void;
}

/** Opens a file exclusively; creates a missing one. Fails with a `StoreError` if other processes use it. */
export async function openExclusively(name: string, waitMs: number): Promise<ExclusiveFile> {
  // SQLite puts its log beside the file itself, not beside a symbolic link to it.
  const path = existsSync(name) ? realpathSync(name) : name;
  const isReadable = unlessDamaged(() => migrateDatabase(path, waitMs)) !== undefined;
  const db = unlessDamaged(() => connectExclusively(path, waitMs));
  const contents = db && isReadable ? await readContents(db, path, waitMs) : undefined;
  return {
    contents,
    replaceWith(part, moveState) {
      if (db && contents) setMoveState(db, moveState);
      try {
        removeLog(db, path);
        part.finish(true);
      } catch (error) {
        if (db && contents?.moveState === undefined) removeMoveState(db);
        throw error;
      }
    },
    release: () => db?.close(),
  };
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
