import { existsSync, statSync } from "node:fs";
import type { Database, PostgresDatabase } from "../config/database-url.ts";
import { appendChecksum } from "./backup-checksum.ts";
import type { ReportProgress } from "./backup-progress.ts";
import { checksumRows, type MoveResult, move, total } from "./move.ts";
import { unfinishedMove } from "./move-state.ts";
import { type ArchiveOptions, openSnapshot, openTarget } from "./open-archive.ts";
import { fileExists, PartialFile } from "./partial-file.ts";
import { checkIntegrity, copyDatabase } from "./sqlite/copy-database.ts";
import { openToRead, rejectUnfinishedMove } from "./sqlite/database.ts";
import { detachCopy } from "./sqlite/detach-copy.ts";
import { SqliteArchive } from "./sqlite/sqlite-archive.ts";
import { StoreError } from "./store-error.ts";

export interface BackupOptions extends ArchiveOptions {
  /** Whether a file that is there may be replaced. */
  readonly replace: boolean;
}

/** A backup that is being made. */
export interface Backup {
  /** Everything of one moment in one SQLite file, checked, before it has its name. Fails with a `StoreError`. */
  make(report: ReportProgress): Promise<MoveResult & { readonly bytes: number }>;
  /** Removes what there is of it, if it has no name yet. */
  discard(): void;
}

export function beginBackup(database: Database, file: string, options: BackupOptions): Backup {
  let begun: PartialFile | undefined;
  return {
    async make(report) {
      refuseFile(database, file, options.replace);
      const part = new PartialFile(file);
      begun = part;
      try {
        const moved =
          database.engine === "sqlite"
            ? await copySqlite(database.path, part, options, report)
            : await copyPostgres(database, part, options, report);
        const fault = await checkIntegrity(part.path, options.waitMs, report);
        if (fault !== undefined) {
          throw new StoreError(`${database.displayName} is damaged (${fault}): this backup was not kept.`);
        }
        await appendChecksum(part.path, report);
        const { size: bytes } = statSync(part.path);
        part.finish(options.replace);
        return { ...moved, bytes };
      } finally {
        part.discard();
      }
    },
    discard: () => begun?.discard(),
  };
}

function refuseFile(database: Database, file: string, replace: boolean): void {
  if (database.engine === "sqlite" && !existsSync(database.path)) {
    throw new StoreError(`There is no database at ${database.displayName}: check DATABASE_URL.`);
  }
  if (!existsSync(file)) return;
  const there = statSync(file);
  if (!there.isFile()) throw new StoreError(`${file} is no file: name the file that the backup is to be.`);
  if (database.engine === "sqlite") {
    const { dev, ino } = statSync(database.path);
    if (dev === there.dev && ino === there.ino) {
      throw new StoreError(`${file} is the database itself: name another file for the backup.`);
    }
  }
  if (!replace) throw fileExists(file);
  if (existsSync(`${file}-wal`)) {
    throw new StoreError(`${file} is a database in use, with its log beside it: name another file.`);
  }
}

async function copySqlite(
  path: string,
  part: PartialFile,
  { waitMs }: ArchiveOptions,
  report: ReportProgress,
): Promise<MoveResult> {
  const { db, state } = openToRead(path, waitMs);
  try {
    if (state.version < state.latest) {
      throw new StoreError(
        `The schema of ${path} is behind (${state.version} of ${state.latest}): run \`roster migrate\` first, or the Roster that serves it.`,
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
  options: ArchiveOptions,
  report: ReportProgress,
): Promise<MoveResult> {
  let moved: MoveResult;
  const source = await openSnapshot(database, options);
  try {
    const { path } = part;
    const target = await openTarget({ engine: "sqlite", path, displayName: path }, options);
    try {
      moved = await move(source, target, report);
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
  detachCopy(part.path);
  return moved;
}

/** Reads every row of a file as `roster move` does. Fails with a `StoreError` where it is not all there. */
export async function readAllRows(path: string, waitMs: number, report: ReportProgress): Promise<MoveResult> {
  const archive = new SqliteArchive(openToRead(path, waitMs).db, path, waitMs);
  try {
    const mark = await archive.moveState();
    if (mark !== undefined) throw unfinishedMove(path, mark);
    const { rows } = await archive.stats();
    let done = 0;
    const moved = await checksumRows(archive, (more) => {
      done += more;
      report({ step: "verifying", done, total: total(rows), unit: "rows" });
    });
    const users = rows.get("users");
    if (moved.rows.get("users") !== users) {
      throw new StoreError(
        `${path} is damaged: it says that it has ${users} users, and has ${moved.rows.get("users")}.`,
      );
    }
    return moved;
  } finally {
    await archive.close();
  }
}
