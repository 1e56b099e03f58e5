import type { Database } from "bun:sqlite";
import { existsSync, realpathSync, rmSync } from "node:fs";
import type { ArchiveStats } from "../archive.ts";
import type { PartialFile } from "../partial-file.ts";
import { connectExclusively, isCorruption, migrateDatabase } from "./database.ts";
import { SqliteArchive } from "./sqlite-archive.ts";

/** What is in a file. */
interface Contents extends ArchiveStats {
  /** How far something that fills it has come, if that is unfinished. */
  readonly mark: string | undefined;
}

/** A file that nobody else can use until another has taken its place. */
export interface ExclusiveFile {
  /** Undefined if the file is so damaged that nobody can tell. */
  readonly contents: Contents | undefined;
  /** Puts the other in its place. Whoever has waited for this one meanwhile finds the mark, and does not serve it. */
  replaceWith(part: PartialFile, mark: string): void;
  release(): void;
}

/** Takes a file, made if there is none. Fails with a `StoreError` where others use it. */
export async function openExclusively(name: string, waitMs: number): Promise<ExclusiveFile> {
  // What SQLite keeps beside a file is beside the file itself, whatever leads to it.
  const path = existsSync(name) ? realpathSync(name) : name;
  const isWhole = unlessDamaged(() => migrateDatabase(path, waitMs)) !== undefined;
  const db = unlessDamaged(() => connectExclusively(path, waitMs));
  const contents = db && isWhole ? await contentsOf(db, path, waitMs) : undefined;
  return {
    contents,
    replaceWith(part, mark) {
      if (db && contents) db.query("INSERT OR REPLACE INTO moving VALUES (1, ?, '[]')").run(mark);
      try {
        removeLog(db, path);
        part.finish(true);
      } catch (error) {
        if (db && contents?.mark === undefined) db.run("DELETE FROM moving");
        throw error;
      }
    },
    release: () => db?.close(),
  };
}

async function contentsOf(db: Database, path: string, waitMs: number): Promise<Contents | undefined> {
  try {
    const archive = new SqliteArchive(db, path, waitMs);
    return { ...(await archive.stats()), mark: await archive.moveState() };
  } catch (error) {
    if (isCorruption(error)) return undefined;
    throw error;
  }
}

/** A log that is left would be taken for that of the file which comes there. */
function removeLog(db: Database | undefined, path: string): void {
  try {
    if (db) return void db.run("PRAGMA journal_mode = MEMORY");
  } catch {
    // What is damaged has nothing to keep.
  }
  for (const ending of ["-wal", "-shm", "-journal"]) rmSync(path + ending, { force: true });
}

function unlessDamaged<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (isCorruption(error)) return undefined;
    throw error;
  }
}
