import { LOCK_SPACE, LOCKS } from "../events/postgres-events.ts";

/** Waits for purges, and keeps others from beginning. A purge that has committed is visible to the next statement. */
export const STORE_RESPONSES = `SELECT pg_advisory_xact_lock_shared(${LOCK_SPACE}, ${LOCKS.responses})`;

/** Waits for transactions that store responses: the next statement sees what they have stored. */
export const ERASE_RESPONSES = `SELECT pg_advisory_xact_lock(${LOCK_SPACE}, ${LOCKS.responses})`;
