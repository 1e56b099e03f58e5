import { StoreError } from "./store-error.ts";

/** How many changes of the schema a database has had, and how many this program knows. */
export interface SchemaState {
  readonly at: number;
  readonly known: number;
}

/** Refuses a database whose schema is not to be changed by whoever opens it. */
export function behind({ at, known }: SchemaState): StoreError {
  return new StoreError(
    `The database's schema is behind (${at} of ${known}): run \`roster migrate\` first, or serve it without ROSTER_MIGRATE=off.`,
  );
}
