import { LOCK_SPACE, LOCKS } from "../events/postgres-events.ts";

const KEYS = `${LOCK_SPACE}, ${LOCKS.schema}`;

/** Waits for all batches of writes that have begun, on any node, and keeps further ones waiting. */
export const LOCK_SCHEMA = `SELECT pg_advisory_xact_lock(${KEYS})`;

/**
 * Begins a batch of writes. The lock comes first: no other node changes the schema from here to the end of the transaction, so that
 * the state of the schema stays the one that the last statement reads.
 */
export const BEGIN_WRITES = `
  BEGIN;
  SELECT pg_advisory_xact_lock_shared(${KEYS});
  SELECT (SELECT max(version) FROM roster.schema_versions), collecting,
         (extract(epoch FROM clock_timestamp()) * 1000)::bigint FROM roster.about`;

export const READ_SCHEMA = "SELECT json FROM roster.schema_versions WHERE version = $1::bigint";
