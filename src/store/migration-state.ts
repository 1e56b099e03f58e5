import { StoreError } from "./store-error.ts";

/** Number of migrations that a database has had, and that this program knows. */
export interface MigrationState {
  readonly version: number;
  readonly latest: number;
}

/** Error for an outdated schema that may not be migrated. */
export function schemaOutdated({ version, latest }: MigrationState): StoreError {
  return new StoreError(
    `The database schema is outdated (version ${version} of ${latest}): run \`roster migrate\` first, or serve it without ROSTER_MIGRATE=off.`,
  );
}
