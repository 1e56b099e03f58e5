import { LOCK_SPACE, LOCKS } from "../events/postgres-events.ts";

/**
 * Waits for all batches of writes that have begun, on any node, and keeps further ones waiting. Batches call the function
 * `lock_schema` of the database, which takes the same lock shared.
 */
export const LOCK_SCHEMA = `SELECT pg_advisory_xact_lock(${LOCK_SPACE}, ${LOCKS.schema})`;

/** The state of the schema, which stays the same until the end of the transaction. */
export const READ_SCHEMA_STATE =
  "SELECT version, collecting, now_ms FROM roster.lock_schema() WHERE $1::text <> ''";

export const READ_SCHEMA = "SELECT json FROM roster.schema_versions WHERE version = $1::bigint";
