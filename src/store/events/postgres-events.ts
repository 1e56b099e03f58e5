import type { EventDraft } from "../../domain/events/event.ts";
import { type Column, Columns, JsonStatement } from "../sql/json-statement.ts";
import type { SqlSteps } from "../sql/sql-steps.ts";
import { type EventValues, toEventValues } from "./event-tables.ts";

/** Keys of PostgreSQL's advisory locks: the letters "Rstr" and a number. Functions of the database use them too. */
export const LOCK_SPACE = 0x52737472;
export const LOCKS = {
  append: 1,
  remove: 2,
  schema: 3,
  migration: 4,
  count: 5,
  publish: 6,
  responses: 7,
} as const;

/** Returns whether this transaction may remove events. */
export const TRY_REMOVE_EVENTS = `SELECT pg_try_advisory_xact_lock(${LOCK_SPACE}, ${LOCKS.remove})`;

/** Events that one transaction counts at most. */
const MAX_COUNTED = 5000;

/**
 * Counts the bytes of some events that were there before bytes were counted, and then replaces the rows of the count by their sum.
 * Returns the number of counted events: 0 when done, or if another node does it. Must run in a transaction.
 */
export function* countPostgresEventBytes(): SqlSteps<number> {
  const [removeLock] = yield { text: TRY_REMOVE_EVENTS, values: [] };
  if (!removeLock?.[0]) return 0;
  const counted = yield* countSome();
  if (counted === 0) yield { text: SUM_UP, values: [] };
  return counted;
}

function* countSome(): SqlSteps<number> {
  const [state] = yield { text: "SELECT 1 FROM roster.about WHERE uncounted_to IS NOT NULL", values: [] };
  if (!state) return 0;
  // Changes of events wait for this lock: until the commit, none of them can know whether an event is counted.
  yield { text: `SELECT pg_advisory_xact_lock(${LOCK_SPACE}, ${LOCKS.count})`, values: [] };
  const [row] = yield { text: COUNT_STEP, values: [MAX_COUNTED] };
  return Number(row?.[0]);
}

/** Counts the next events. Returns their number: with 0, all are counted. */
export const COUNT_STEP = `
  WITH step AS MATERIALIZED (
    SELECT position, roster.event_bytes(changes, record) AS bytes FROM roster.events
    WHERE position > (SELECT uncounted_after FROM roster.about)
    AND position <= (SELECT uncounted_to FROM roster.about) ORDER BY position LIMIT ?
  ), total AS MATERIALIZED (
    SELECT count(*) AS events, sum(bytes) AS bytes, max(position) AS last FROM step
  ), moved AS (
    UPDATE roster.about SET uncounted_after = total.last,
      uncounted_to = CASE WHEN total.last IS NOT NULL THEN uncounted_to END FROM total
  ), counted AS (
    INSERT INTO roster.event_usage SELECT bytes FROM total WHERE events > 0
  )
  SELECT events FROM total`;

/** A row that is added at the same time stays: the statement does not see it. */
const SUM_UP = `
  WITH taken AS (
    DELETE FROM roster.event_usage WHERE (SELECT count(*) FROM roster.event_usage) > 1 RETURNING bytes
  )
  INSERT INTO roster.event_usage SELECT sum(bytes) FROM taken HAVING count(*) > 0`;

const types = ["text", "bigint", "text", "bigint", "bigint", "text", "text", "text"] as const;
const names = ["subject_type", "subject_id", "action", "version", "actor", "request_id", "changes", "record"];

const columns = new Columns<EventValues>(
  names.map(
    (name, index): Column<EventValues> => ({
      name,
      type: types[index] ?? "text",
      value: (row) => row[index] ?? null,
    }),
  ),
);

/**
 * Appends events, as one of the last statements of a transaction: it has locked what it changes, so the keys of the events are higher
 * than those of earlier changes. The rows are inserted in their order.
 */
export const appendEvents = new JsonStatement(
  { schemaChange: "bigint", allowedMs: "bigint" },
  { events: columns },
  (value, rows) => `
  WITH ready AS MATERIALIZED (
    SELECT roster.begin_events(${value("schemaChange")})
  ), timely AS MATERIALIZED (
    SELECT roster.require_time(${value("allowedMs")}) FROM ready
  )
  INSERT INTO roster.new_events (${columns.names}) SELECT ${columns.selection} FROM timely, ${rows("events")}`,
);

/** Events that one transaction publishes at most. */
export const MAX_PUBLISHED = 1000;
/**
 * Whether there are unpublished events after a key, the last position and the last key that were given, and whether the server takes
 * no writes.
 */
export const FIND_UNPUBLISHED = `
  SELECT EXISTS (SELECT 1 FROM roster.new_events WHERE key > ?::bigint),
         coalesce((SELECT max(position) FROM roster.events), 0),
         coalesce(pg_sequence_last_value('roster.new_event_keys'), 0),
         current_setting('transaction_read_only')`;
export const PUBLISH_SOME = `SELECT roster.publish_events(?::bigint, ${MAX_PUBLISHED})`;
/** Publishes nothing if another transaction publishes. Takes the lock of appends first, as `publish_events` does. */
export const TRY_PUBLISH_SOME = `
  SELECT CASE WHEN pg_advisory_xact_lock_shared(${LOCK_SPACE}, ${LOCKS.append}) IS NOT NULL
              AND pg_try_advisory_xact_lock(${LOCK_SPACE}, ${LOCKS.publish})
         THEN roster.publish_events(?::bigint, ${MAX_PUBLISHED}) ELSE 0 END`;
/** Publishes all committed events, and those of the transaction. */
export const PUBLISH_ALL = "SELECT roster.publish_events(0, NULL)";

/** For transactions that do not depend on the schema, or have locked it. */
export const ANY_SCHEMA = -1;
/** For transactions that check their time themselves. */
const ANY_TIME = Number.MAX_SAFE_INTEGER;

/**
 * A statement that appends events. It fails if the schema has changed since `schemaChange`, or the transaction has taken longer than
 * `allowedMs`.
 */
export function appendPostgresEvents(
  events: readonly EventDraft[],
  schemaChange = ANY_SCHEMA,
  allowedMs = ANY_TIME,
): { text: string; values: string[] } {
  const values = appendEvents.parameters(
    { schemaChange: String(schemaChange), allowedMs: String(allowedMs) },
    { events: events.map(toEventValues) },
  );
  return { text: appendEvents.text, values };
}
