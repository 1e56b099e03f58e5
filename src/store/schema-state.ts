import { StoreError } from "./store-error.ts";

/** How many changes of the schema a database has had, and how many this program knows. */
export interface SchemaState {
  readonly version: number;
  readonly latest: number;
}

/** Refuses a database whose schema is not to be changed by whoever opens it. */
export function schemaOutdated({ version, latest }: SchemaState): StoreError {
  return new StoreError(
    `The database's schema is behind (${version} of ${latest}): run \`roster migrate\` first, or serve it without ROSTER_MIGRATE=off.`,
  );
}
