import { statSync } from "node:fs";
import type { Database, PostgresDatabase } from "../config/database-url.ts";
import { type ArchiveSource, SourceChangedError } from "./archive.ts";
import { readAllRows } from "./backup.ts";
import { verifyChecksum } from "./backup-checksum.ts";
import type { ReportProgress } from "./backup-progress.ts";
import { type MoveOptions, type MoveResult, move, total, verify } from "./move.ts";
import { parseMoveState, serializeMoveState, unfinishedMove } from "./move-state.ts";
import { type ArchiveOptions, openTarget, refuseSameFile } from "./open-archive.ts";
import { PartialFile } from "./partial-file.ts";
import type { SchemaState } from "./schema-state.ts";
import { checkIntegrity, copyDatabase } from "./sqlite/copy-database.ts";
import { isCorruption, migrateDatabase, openToRead } from "./sqlite/database.ts";
import { detachCopy } from "./sqlite/detach-copy.ts";
import { openExclusively } from "./sqlite/exclusive-file.ts";
import { SqliteArchive } from "./sqlite/sqlite-archive.ts";
import { StoreError } from "./store-error.ts";

export interface RestoreOptions extends ArchiveOptions {
  /** Asked before everything that the target has is replaced. */
  readonly replace: NonNullable<MoveOptions["replace"]>;
}

/** A backup that is being brought back. */
export interface Restore {
  /** Fails with a `StoreError`: a backup that is not whole then has touched nothing. */
  make(report: ReportProgress): Promise<MoveResult>;
  /** Removes what is not in its place yet. */
  discard(): void;
}

/** A backup that can be read, and is to be trusted. */
interface Source {
  readonly archive: ArchiveSource;
  readonly file: string;
  readonly state: SchemaState;
}

export function beginRestore(file: string, database: Database, options: RestoreOptions): Restore {
  let part: PartialFile | undefined;
  const begin = (target: string) => {
    part = new PartialFile(target);
    return part;
  };
  return {
    async make(report) {
      const source = await openBackup(file, options.waitMs, report);
      try {
        return database.engine === "sqlite"
          ? await intoFile(source, database, options, report, begin)
          : await intoPostgres(source, database, options, report);
      } finally {
        await source.archive.close();
        part?.discard();
      }
    },
    discard: () => part?.discard(),
  };
}

/** Opens it when every byte is as it was sealed; where nobody sealed it, when SQLite finds nothing wrong with it. */
async function openBackup(file: string, waitMs: number, report: ReportProgress): Promise<Source> {
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) {
    throw new StoreError(`There is no backup at ${file}.`);
  }
  const damaged = (fault: string) => new StoreError(`${file} is damaged (${fault}): restore another backup.`);
  const seal = await verifyChecksum(file, report);
  if (seal === "broken") throw damaged("it is not what was sealed when it was made");
  let archive: ArchiveSource | undefined;
  try {
    const { db, state } = openToRead(file, waitMs);
    archive = new SqliteArchive(db, file, waitMs);
    const mark = await archive.moveState();
    if (mark !== undefined) throw unfinishedMove(file, mark);
    const fault = seal === "none" ? await checkIntegrity(file, waitMs, report) : undefined;
    if (fault !== undefined) throw damaged(fault);
    return { archive, file, state };
  } catch (error) {
    await archive?.close();
    if (isCorruption(error)) throw damaged("SQLite cannot read it");
    if (!(error instanceof StoreError)) throw error;
    // What is said of databases ends with how to choose another one.
    const [reason = ""] = error.message.split(/: choose | Choose /);
    throw new StoreError(`${reason.replace(/\.$/, "")}. Restore another backup.`, { cause: error });
  }
}

/** A copy is made and checked beside the file, and then takes its place: until then, that is as it was. */
async function intoFile(
  { archive, file, state }: Source,
  database: Extract<Database, { engine: "sqlite" }>,
  { waitMs, replace }: RestoreOptions,
  report: ReportProgress,
  begin: (target: string) => PartialFile,
): Promise<MoveResult> {
  const { path, displayName: shown } = database;
  refuseSameFile({ engine: "sqlite", path: file, displayName: file }, database);
  const claimed = await openExclusively(path, waitMs);
  try {
    const { contents } = claimed;
    const mark = contents?.mark === undefined ? undefined : parseMoveState(contents.mark);
    const isEmpty = contents !== undefined && total(contents.rows) === 0 && mark === undefined;
    if (!isEmpty && mark?.source !== archive.identity) await replace(shown, contents?.rows.get("users"));
    const part = begin(path);
    await copyDatabase(file, part.path, waitMs, report);
    if (state.version < state.latest) migrateDatabase(part.path, waitMs);
    detachCopy(part.path, contents?.lastId);
    const moved =
      state.version < state.latest
        ? await readAllRows(part.path, waitMs, report)
        : await compare(archive, part.path, waitMs, report);
    const { identity: source, shown: from } = archive;
    claimed.replaceWith(
      part,
      serializeMoveState({
        source,
        shown: from,
        doing: "restore",
        run: crypto.randomUUID(),
        stale: true,
        table: undefined,
        after: undefined,
      }),
    );
    return moved;
  } finally {
    claimed.release();
  }
}

async function compare(
  source: ArchiveSource,
  path: string,
  waitMs: number,
  report: ReportProgress,
): Promise<MoveResult> {
  const copy = new SqliteArchive(openToRead(path, waitMs).db, path, waitMs);
  try {
    return await verify(source, copy, report);
  } catch (error) {
    if (!(error instanceof SourceChangedError)) throw error;
    throw new StoreError(
      `${source.shown} was changed while it was copied, or came to another on the way: try again.`,
      {
        cause: error,
      },
    );
  } finally {
    await copy.close();
  }
}

async function intoPostgres(
  { archive, file, state }: Source,
  database: PostgresDatabase,
  options: RestoreOptions,
  report: ReportProgress,
): Promise<MoveResult> {
  if (state.version < state.latest) {
    throw new StoreError(
      `${file} was made by an older Roster (schema ${state.version} of ${state.latest}): restore it into a file, and \`roster move\` from there.`,
    );
  }
  const target = await openTarget(database, options);
  try {
    return await move(archive, target, report, { command: "restore", replace: options.replace });
  } finally {
    await target.close();
  }
}
