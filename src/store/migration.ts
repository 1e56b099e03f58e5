import { createHash } from "node:crypto";
import { findDifferences, type KnownParts, type Parts } from "./parts.ts";
import { StoreError } from "./store-error.ts";

/** A change of the tables. It never changes after it has landed: databases record its digest. */
export interface Migration {
  /** The name of its file, without `.sql`. */
  readonly name: string;
  readonly sql: string;
  readonly digest: string;
}

/** A migration that a database has had. */
export type RecordedMigration = Pick<Migration, "name" | "digest">;

/** What a database says about itself. */
export interface DatabaseRecord {
  /** The number of its migrations, which every version of Roster has stored. */
  readonly version: number;
  /** Its migrations in the order of their names; undefined for a database of before they were recorded. */
  readonly migrations: readonly RecordedMigration[] | undefined;
}

export interface MigrationState {
  /** The number of migrations that the database has had. */
  readonly version: number;
  /** The number of migrations that this program knows. */
  readonly latest: number;
  /** Whether the database says which migrations it has had. */
  readonly isRecorded: boolean;
  /** Whether its tables are those of before the first migration was final: their rows are copied into new tables. */
  readonly isEarlier: boolean;
}

export function defineMigration(name: string, text: string): Migration {
  // Git can change the ends of lines.
  const sql = text.replaceAll("\r\n", "\n");
  return { name, sql, digest: createHash("sha256").update(sql).digest("hex") };
}

/** Whether the tables are not those of this program. */
export function isOutdated({ version, latest, isEarlier }: MigrationState): boolean {
  return version < latest || isEarlier;
}

/** What to do about tables that are not as the migrations have made them. */
export function describeTableProblems(problems: readonly string[]): string {
  return `The tables are not as Roster has created them: ${problems.join(", ")}. Restore a backup, or export the users and import them into a new database.`;
}

/** Error for tables that may not be migrated. */
export function schemaOutdated({ version, latest, isEarlier }: MigrationState): StoreError {
  const found = isEarlier ? "of an early version" : `version ${version} of ${latest}`;
  return new StoreError(
    `The database schema is outdated (${found}): run \`roster migrate\` first, or serve it without ROSTER_MIGRATE=off.`,
  );
}

/** The names of known states that are not migrations. */
const EARLIER = /^earlier\b/;

/**
 * Finds out which migrations a database has had: from its record, or from its tables if it has none. Fails with a `StoreError` if
 * this program cannot know: it would change tables that it does not understand.
 */
export function readState(
  displayName: string,
  record: DatabaseRecord,
  migrations: readonly Migration[],
  known: KnownParts,
  readParts: () => Parts,
): MigrationState {
  const latest = migrations.length;
  const { version } = record;
  const applied = record.migrations && countApplied(displayName, record.migrations, migrations);
  if (version > latest)
    throw newerDatabase(displayName, `schema ${version}; this version supports ${latest}`);
  if (applied !== undefined) {
    if (applied !== version) throw unknownTables(displayName, "its number of migrations is wrong");
    return { version, latest, isRecorded: true, isEarlier: false };
  }
  if (version === 0) return { version, latest, isRecorded: false, isEarlier: false };
  const parts = readParts();
  const found = Object.entries(known).find(([, expected]) => findDifferences(expected, parts).length === 0);
  const state = found?.[0] ?? "";
  if (EARLIER.test(state)) return { version, latest, isRecorded: false, isEarlier: true };
  const name = migrations[version - 1]?.name ?? "";
  if (state !== name) {
    const [problem] = findDifferences(known[name] ?? {}, parts);
    throw unknownTables(displayName, problem ?? "its number of migrations is wrong");
  }
  return { version, latest, isRecorded: false, isEarlier: false };
}

/** How many of these migrations the database has had. Fails with a `StoreError` if it has had others. */
function countApplied(
  displayName: string,
  recorded: readonly RecordedMigration[],
  migrations: readonly Migration[],
): number {
  for (const [index, { name, digest }] of recorded.entries()) {
    const expected = migrations[index];
    if (!expected) throw newerDatabase(displayName, `migration ${name}, which this version does not have`);
    if (expected.name !== name) throw unknownTables(displayName, `it has had the migration ${name}`);
    if (expected.digest !== digest)
      throw unknownTables(displayName, `it has had another form of the migration ${name}`);
  }
  return recorded.length;
}

function newerDatabase(displayName: string, reason: string): StoreError {
  return new StoreError(
    `${displayName} was written by a newer Roster (${reason}): run that version or a later one.`,
  );
}

function unknownTables(displayName: string, reason: string): StoreError {
  return new StoreError(
    `${displayName} has tables that this version does not know (${reason}): export its users with the version that wrote it (\`roster users export\`), then import them into a new database.`,
  );
}
