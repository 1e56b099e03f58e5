import type { EventDraft } from "../../domain/events/event.ts";
import type { Sql } from "../lists/sql.ts";
import { type Column, Columns, JsonStatement } from "../postgres/json-statement.ts";
import { EventTables, type EventValues, toEventValues } from "./event-tables.ts";

/** Keys of PostgreSQL's advisory locks: the letters "Rstr" and a number. Functions of the database use them too. */
export const LOCK_SPACE = 0x52737472;
export const LOCKS = { append: 1, remove: 2, schema: 3, migration: 4 } as const;

export const postgresEvents = new EventTables({
  schema: "roster.",
  tryLock: `SELECT pg_try_advisory_xact_lock(${LOCK_SPACE}, ${LOCKS.remove})`,
});

const types = ["text", "bigint", "text", "bigint", "bigint", "text", "text", "text"] as const;
const names = ["subject_type", "subject_id", "action", "version", "actor", "request_id", "changes", "record"];

const columns = new Columns<EventValues>([
  { name: "ordinal", type: "bigint", value: (_, index) => index },
  ...names.map(
    (name, index): Column<EventValues> => ({
      name,
      type: types[index] ?? "text",
      value: (row) => row[index] ?? null,
    }),
  ),
]);

/**
 * Appends events as the last statement of a transaction. The lock makes transactions commit in the order of their positions:
 * PostgreSQL releases the lock after the events have become visible, so no reader sees a later position first.
 */
const appendEvents = new JsonStatement(
  { count: "bigint", schemaChange: "bigint" },
  { events: columns },
  (value, rows) => `
  WITH locked AS MATERIALIZED (
    SELECT roster.lock_events(${value("schemaChange")})
  ), taken AS MATERIALIZED (
    SELECT setval('roster.event_positions',
      greatest(nextval('roster.event_positions'), (extract(epoch FROM clock_timestamp()) * 1000000)::bigint)
      + ${value("count")} - 1) - ${value("count")} + 1 AS first
    FROM locked
  )
  INSERT INTO roster.events (position, ${names.join(", ")})
  SELECT taken.first + t.ordinal::bigint, ${names.map((name, index) => `t.${name}::${types[index]}`).join(", ")}
  FROM taken, ${rows("events")}`,
);

/** For transactions that do not depend on the schema, or have locked it. */
export const ANY_SCHEMA = -1;

/**
 * A statement that appends events. Nothing but COMMIT may follow it: other nodes wait for its transaction. It fails if the schema
 * has changed since `schemaChange`.
 */
export function appendPostgresEvents(
  events: readonly EventDraft[],
  schemaChange = ANY_SCHEMA,
): { text: string; values: string[] } {
  const values = appendEvents.parameters(
    { count: String(events.length), schemaChange: String(schemaChange) },
    { events: events.map(toEventValues) },
  );
  return { text: appendEvents.text, values };
}

export function appendPostgresEvent(event: EventDraft): Sql {
  return appendPostgresEvents([event]);
}
