import { existsSync, statSync } from "node:fs";
import type { Database, PostgresDatabase } from "../../config/database-url.ts";
import { FileExistsError, PartialFile } from "../partial-file.ts";
import { openUnchanged, rejectUnfinishedMove } from "../sqlite/database.ts";
import { StoreError } from "../store-error.ts";
import type { DatabaseOptions } from "../store-options.ts";
import { unfinishedMove } from "../unfinished-move.ts";
import { appendChecksum } from "./backup-checksum.ts";
import type { ReportProgress } from "./backup-progress.ts";
import { checksumRows, countRows, type MoveResult, move } from "./move.ts";
import { openSnapshot, openTarget } from "./open-archive.ts";
import { recordBackup } from "./record-backup.ts";
import { checkIntegrity, copyDatabase } from "./sqlite/copy-database.ts";
import { detachCopy } from "./sqlite/detach-copy.ts";
import { SqliteArchive } from "./sqlite/sqlite-archive.ts";

export interface BackupOptions extends DatabaseOptions {
  /** Whether an existing file may be replaced. */
  readonly replace: boolean;
}

interface BackupResult extends MoveResult {
  readonly bytes: number;
  /** Why the database could not store the time of the backup; undefined if it did. */
  readonly notRecorded: string | undefined;
}

export interface Backup {
  /** Copies a snapshot into one SQLite file and checks the copy before the file gets its name. Fails with a `StoreError`. */
  run(report: ReportProgress): Promise<BackupResult>;
  /** Removes an unfinished file. */
  discard(): void;
}

export function beginBackup(database: Database, file: string, options: BackupOptions): Backup {
  let partialFile: PartialFile | undefined;
  return {
    async run(report) {
      checkTargetFile(database, file, options.replace);
      const begin = Date.now();
      const part = new PartialFile(file);
      partialFile = part;
      try {
        const result =
          database.engine === "sqlite"
            ? await copySqlite(database.path, part, options, report)
            : await copyPostgres(database, part, options, report);
        const damage = await checkIntegrity(part.path, options.waitMs, report);
        if (damage !== undefined) {
          throw new StoreError(
            `${database.displayName} is damaged (${damage}), so the backup was discarded: restore an earlier backup.`,
          );
        }
        await appendChecksum(part.path, report);
        const { size: bytes } = statSync(part.path);
        part.finish(options.replace);
        return { ...result, bytes, notRecorded: await tryToRecord(database, begin, options) };
      } finally {
        part.discard();
      }
    },
    discard: () => partialFile?.discard(),
  };
}

/** A backup is complete even if the database accepts no writes, like a standby. */
async function tryToRecord(
  database: Database,
  at: number,
  options: DatabaseOptions,
): Promise<string | undefined> {
  try {
    await recordBackup(database, at, options);
    return undefined;
  } catch (error) {
    if (error instanceof StoreError) return error.message;
    throw error;
  }
}

function checkTargetFile(database: Database, file: string, replace: boolean): void {
  if (database.engine === "sqlite" && !existsSync(database.path)) {
    throw new StoreError(`There is no database at ${database.displayName}: check DATABASE_URL.`);
  }
  if (!existsSync(file)) return;
  const existing = statSync(file);
  if (!existing.isFile()) {
    throw new StoreError(`${file} is not a regular file: choose another file for the backup.`);
  }
  if (database.engine === "sqlite") {
    const { dev, ino } = statSync(database.path);
    if (dev === existing.dev && ino === existing.ino) {
      throw new StoreError(`${file} is the database itself: choose another file for the backup.`);
    }
  }
  if (!replace) throw new FileExistsError(file);
  if (existsSync(`${file}-wal`)) {
    throw new StoreError(
      `${file} is a database in use, because ${file}-wal exists: choose another file for the backup.`,
    );
  }
}

async function copySqlite(
  path: string,
  part: PartialFile,
  { waitMs }: DatabaseOptions,
  report: ReportProgress,
): Promise<MoveResult> {
  const { db, state } = openUnchanged(path, waitMs);
  try {
    if (state.version < state.latest) {
      throw new StoreError(
        `The schema of ${path} is outdated (version ${state.version} of ${state.latest}): run \`roster migrate\` first, or back it up with the Roster version that serves it.`,
      );
    }
    rejectUnfinishedMove(db, path);
  } finally {
    db.close();
  }
  await copyDatabase(path, part.path, waitMs, report);
  detachCopy(part.path);
  return await readAllRows(part.path, waitMs, report);
}

async function copyPostgres(
  database: PostgresDatabase,
  part: PartialFile,
  options: DatabaseOptions,
  report: ReportProgress,
): Promise<MoveResult> {
  let result: MoveResult;
  const source = await openSnapshot(database, options);
  try {
    const { path } = part;
    const target = await openTarget({ engine: "sqlite", path, displayName: path }, options);
    try {
      result = await move(source, target, report);
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
  detachCopy(part.path);
  return result;
}

/** Reads every row of a file. Fails with a `StoreError` if rows are missing. */
export async function readAllRows(path: string, waitMs: number, report: ReportProgress): Promise<MoveResult> {
  const archive = new SqliteArchive(openUnchanged(path, waitMs).db, path, waitMs);
  try {
    const state = await archive.moveState();
    if (state !== undefined) throw unfinishedMove(path, state);
    const { rows } = await archive.stats();
    let done = 0;
    const result = await checksumRows(archive, (more) => {
      done += more;
      report({ step: "verifying", done, total: countRows(rows), unit: "rows" });
    });
    for (const [table, count] of rows) {
      const found = result.rows.get(table);
      if (found === count) continue;
      throw new StoreError(`${path} is damaged: table ${table} should have ${count} rows and has ${found}.`);
    }
    return result;
  } finally {
    await archive.close();
  }
}
