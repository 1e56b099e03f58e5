import { existsSync, statSync } from "node:fs";
import type { Database, PostgresDatabase } from "../config/database-url.ts";
import type { Report } from "./backup-progress.ts";
import { digest, type Moved, move, total } from "./move.ts";
import { unfinished } from "./move-mark.ts";
import { type ArchiveOptions, openMoment, openTarget } from "./open-archive.ts";
import { PartFile, thereAlready } from "./part-file.ts";
import { sealFile } from "./seal.ts";
import { settle } from "./sqlite/copied.ts";
import { checkDatabase, copyDatabase } from "./sqlite/copying.ts";
import { openToRead, refuseUnfinished } from "./sqlite/database.ts";
import { SqliteArchive } from "./sqlite/sqlite-archive.ts";
import { StoreError } from "./store-error.ts";

export interface BackupOptions extends ArchiveOptions {
  /** Whether a file that is there may be replaced. */
  readonly replace: boolean;
}

/** A backup that is being made. */
export interface Backup {
  /** Everything of one moment in one SQLite file, checked, before it has its name. Fails with a `StoreError`. */
  make(report: Report): Promise<Moved & { readonly bytes: number }>;
  /** Removes what there is of it, if it has no name yet. */
  discard(): void;
}

export function beginBackup(database: Database, file: string, options: BackupOptions): Backup {
  let begun: PartFile | undefined;
  return {
    async make(report) {
      refuseFile(database, file, options.replace);
      const part = new PartFile(file);
      begun = part;
      try {
        const moved =
          database.engine === "sqlite"
            ? await copySqlite(database.path, part, options, report)
            : await copyPostgres(database, part, options, report);
        const fault = await checkDatabase(part.path, options.waitMs, report);
        if (fault !== undefined) {
          throw new StoreError(`${database.shown} is damaged (${fault}): this backup was not kept.`);
        }
        await sealFile(part.path, report);
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
    throw new StoreError(`There is no database at ${database.shown}: check DATABASE_URL.`);
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
  if (!replace) throw thereAlready(file);
  if (existsSync(`${file}-wal`)) {
    throw new StoreError(`${file} is a database in use, with its log beside it: name another file.`);
  }
}

async function copySqlite(
  path: string,
  part: PartFile,
  { waitMs }: ArchiveOptions,
  report: Report,
): Promise<Moved> {
  const { db, state } = openToRead(path, waitMs);
  try {
    if (state.at < state.known) {
      throw new StoreError(
        `The schema of ${path} is behind (${state.at} of ${state.known}): run \`roster migrate\` first, or the Roster that serves it.`,
      );
    }
    refuseUnfinished(db, path);
  } finally {
    db.close();
  }
  await copyDatabase(path, part.path, waitMs, report);
  settle(part.path);
  return await readThrough(part.path, waitMs, report);
}

async function copyPostgres(
  database: PostgresDatabase,
  part: PartFile,
  options: ArchiveOptions,
  report: Report,
): Promise<Moved> {
  let moved: Moved;
  const source = await openMoment(database, options);
  try {
    const { path } = part;
    const target = await openTarget({ engine: "sqlite", path, shown: path }, options);
    try {
      moved = await move(source, target, report);
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
  settle(part.path);
  return moved;
}

/** Reads every row of a file as `roster move` does. Fails with a `StoreError` where it is not all there. */
export async function readThrough(path: string, waitMs: number, report: Report): Promise<Moved> {
  const archive = new SqliteArchive(openToRead(path, waitMs).db, path, waitMs);
  try {
    const mark = await archive.mark();
    if (mark !== undefined) throw unfinished(path, mark);
    const { rows } = await archive.figures();
    let done = 0;
    const moved = await digest(archive, (more) => {
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
