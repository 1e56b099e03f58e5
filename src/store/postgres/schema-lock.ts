import { LOCK_SPACE, LOCKS } from "../events/postgres-events.ts";

/*
 * Most batches of writes do not lock the schema. They know the number of its last change, and fail when they append their events
 * if there is a later one. From then on until the commit, they hold the lock `append` shared, and a change of the schema waits. A batch that does not know the number, or while the values of a field are being collected, takes the
 * lock `schema` shared, and reads the state.
 */

/** Waits for all batches that have locked the schema, on any node, and keeps further ones waiting. */
export const LOCK_SCHEMA = `SELECT pg_advisory_xact_lock(${LOCK_SPACE}, ${LOCKS.schema})`;

/** Like LOCK_SCHEMA, and waits for the other batches that can still commit. */
export const CHANGE_SCHEMA = "SELECT roster.change_schema()";

/** The state of the schema, which stays the same until the end of the transaction. */
export const READ_SCHEMA_STATE =
  "SELECT version, collecting, now_ms, change FROM roster.lock_schema() WHERE $1::text <> ''";

/** Fails if the schema has changed since this change. */
export const REQUIRE_SCHEMA = "SELECT roster.require_schema($1::bigint)";

export const READ_SCHEMA = "SELECT json FROM roster.schema_versions WHERE version = $1::bigint";
