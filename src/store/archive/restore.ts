import { statSync } from "node:fs";
import type { Database, PostgresDatabase } from "../../config/database-url.ts";
import { isOutdated, type MigrationState } from "../migration.ts";
import { PartialFile } from "../partial-file.ts";
import { isCorruption, migrateDatabase, openUnchanged } from "../sqlite/database.ts";
import { StoreError } from "../store-error.ts";
import type { DatabaseOptions } from "../store-options.ts";
import { unfinishedMove } from "../unfinished-move.ts";
import { type ArchiveSource, type LastValues, type RowCounts, SourceChangedError } from "./archive.ts";
import { readAllRows } from "./backup.ts";
import { mayBeBackup, verifyChecksum } from "./backup-checksum.ts";
import type { ReportProgress } from "./backup-progress.ts";
import { countRows, type MoveResult, move, verify } from "./move.ts";
import { parseMoveState, serializeMoveState } from "./move-state.ts";
import { openTarget, rejectSameFile } from "./open-archive.ts";
import { openEarlierFile } from "./sqlite/carry-over-file.ts";
import { checkIntegrity, copyDatabase } from "./sqlite/copy-database.ts";
import { detachCopy, disableCopiedWebhooks } from "./sqlite/detach-copy.ts";
import { openExclusively } from "./sqlite/exclusive-file.ts";
import { SqliteArchive } from "./sqlite/sqlite-archive.ts";

export interface RestoreOptions extends DatabaseOptions {
  /** Called before the target's rows are replaced; throws to prevent that. `rows` is undefined for a damaged target. */
  readonly replace: (displayName: string, rows: RowCounts | undefined) => Promise<void>;
}

export interface Restore {
  /** Fails with a `StoreError`. A damaged backup leaves the target unchanged. */
  run(report: ReportProgress): Promise<MoveResult>;
  /** Ends the restore, which the process does not go on with. Returns whether the target is incomplete until another run. */
  interrupt(): "unchanged" | "incomplete";
}

/** An open backup whose checksum or integrity has been verified. */
interface Source {
  readonly archive: ArchiveSource;
  readonly file: string;
  readonly state: MigrationState;
}

export function beginRestore(file: string, database: Database, options: RestoreOptions): Restore {
  let hasBegun = false;
  /** Undo what the restore has done to files, the last first. */
  const undo: (() => void)[] = [];
  const undoAll = () => {
    for (const step of undo.splice(0).reverse()) step();
  };
  return {
    async run(report) {
      const source = await openBackup(file, options.waitMs, report);
      try {
        if (database.engine === "sqlite")
          return await restoreIntoFile(source, database, options, report, undo);
        return await restoreIntoPostgres(source, database, options, report, () => {
          hasBegun = true;
        });
      } finally {
        await source.archive.close();
        undoAll();
      }
    },
    interrupt() {
      undoAll();
      return hasBegun ? "incomplete" : "unchanged";
    },
  };
}

async function openBackup(file: string, waitMs: number, report: ReportProgress): Promise<Source> {
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) {
    throw new StoreError(`There is no backup at ${file}.`);
  }
  if (!mayBeBackup(file)) {
    throw new StoreError(
      `${file} is not a backup: restore a file that \`roster backup\` created. To create users from CSV or NDJSON, use \`roster users import\`.`,
    );
  }
  return openVerified(file, waitMs, report);
}

/** Verifies the file by its checksum, or with SQLite's integrity check if it has none. Fails with a `StoreError`. */
export async function openVerified(file: string, waitMs: number, report: ReportProgress): Promise<Source> {
  const damaged = (reason: string) =>
    new StoreError(`${file} is damaged (${reason}): restore another backup.`);
  const checksum = await verifyChecksum(file, report);
  if (checksum === "invalid") throw damaged("its checksum does not match");
  let archive: ArchiveSource | undefined;
  try {
    const { db, state } = openUnchanged(file, waitMs);
    archive = state.isEarlier ? openEarlierFile(db, file, waitMs) : new SqliteArchive(db, file, waitMs);
    const moveState = await archive.moveState();
    if (moveState !== undefined) throw unfinishedMove(file, moveState);
    const damage = checksum === "none" ? await checkIntegrity(file, waitMs, report) : undefined;
    if (damage !== undefined) throw damaged(damage);
    return { archive, file, state };
  } catch (error) {
    await archive?.close();
    if (isCorruption(error)) throw damaged("SQLite cannot read it");
    if (!(error instanceof StoreError)) throw error;
    throw new StoreError(adviseAnotherBackup(error.message), { cause: error });
  }
}

/** Messages about a database end with advice to choose another file or database. A backup needs other advice. */
function adviseAnotherBackup(message: string): string {
  const advised = message
    .replace(/(: |, or )choose .*$/, "$1restore another backup.")
    .replace(/ Choose .*$/, " Restore another backup.");
  return advised.endsWith("another backup.") ? advised : `${message} Restore another backup.`;
}

/** Creates and checks a copy beside the file, then replaces the file with it. Until then, the file is unchanged. */
async function restoreIntoFile(
  source: Source,
  database: Extract<Database, { engine: "sqlite" }>,
  options: RestoreOptions,
  report: ReportProgress,
  undo: (() => void)[],
): Promise<MoveResult> {
  const { archive, file } = source;
  const { waitMs, replace } = options;
  const { path, displayName } = database;
  rejectSameFile({ engine: "sqlite", path: file, displayName: file }, database);
  const moveState = serializeMoveState({
    sourceIdentity: archive.identity,
    sourceName: archive.displayName,
    command: "restore",
    run: crypto.randomUUID(),
    stale: true,
    table: undefined,
    after: undefined,
  });
  const exclusive = await openExclusively(path, waitMs, moveState);
  undo.push(() => exclusive.release());
  const { contents } = exclusive;
  const earlier = contents?.moveState === undefined ? undefined : parseMoveState(contents.moveState);
  const isEmpty = contents !== undefined && countRows(contents.rows) === 0 && earlier === undefined;
  if (!isEmpty && earlier?.sourceIdentity !== archive.identity) await replace(displayName, contents?.rows);
  const part = new PartialFile(path);
  undo.push(() => part.discard());
  const lastValues = contents?.lastValues;
  const result = source.state.isEarlier
    ? await fillCopy(archive, part.path, lastValues, options, report)
    : await copyFile(source, part.path, lastValues, waitMs, report);
  disableCopiedWebhooks(part.path);
  exclusive.replaceWith(part);
  return result;
}

/** Copies a backup, and migrates the copy if its tables are outdated. */
async function copyFile(
  { archive, file, state }: Source,
  path: string,
  lastValues: LastValues | undefined,
  waitMs: number,
  report: ReportProgress,
): Promise<MoveResult> {
  await copyDatabase(file, path, waitMs, report);
  const isMigrated = isOutdated(state);
  if (isMigrated) migrateDatabase(path, waitMs);
  detachCopy(path, lastValues);
  return isMigrated ? await readAllRows(path, waitMs, report) : await compare(archive, path, waitMs, report);
}

/** Copies the rows of an early backup into new tables. */
async function fillCopy(
  archive: ArchiveSource,
  path: string,
  lastValues: LastValues | undefined,
  options: RestoreOptions,
  report: ReportProgress,
): Promise<MoveResult> {
  const target = await openTarget({ engine: "sqlite", path, displayName: path }, options);
  const result = await move(archive, target, report, { command: "restore" }).finally(() => target.close());
  detachCopy(path, lastValues);
  return result;
}

async function compare(
  source: ArchiveSource,
  path: string,
  waitMs: number,
  report: ReportProgress,
): Promise<MoveResult> {
  const copy = new SqliteArchive(openUnchanged(path, waitMs).db, path, waitMs);
  try {
    return await verify(source, copy, report);
  } catch (error) {
    if (!(error instanceof SourceChangedError)) throw error;
    throw new StoreError(
      `${source.displayName} changed during the copy, or the copy differs from it: try again.`,
      {
        cause: error,
      },
    );
  } finally {
    await copy.close();
  }
}

async function restoreIntoPostgres(
  { archive, file, state }: Source,
  database: PostgresDatabase,
  options: RestoreOptions,
  report: ReportProgress,
  onBegin: () => void,
): Promise<MoveResult> {
  if (isOutdated(state) && !state.isEarlier) {
    throw new StoreError(
      `${file} was written by an older Roster (schema ${state.version} of ${state.latest}): restore it into an SQLite file, then move that file with \`roster move\`.`,
    );
  }
  const target = await openTarget(database, options);
  try {
    return await move(archive, target, report, { command: "restore", replace: options.replace, onBegin });
  } finally {
    await target.close();
  }
}
