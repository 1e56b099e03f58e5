import type { Database, Statement } from "bun:sqlite";
import { type EventDraft, firstPositionAt } from "../../domain/events/event.ts";
import type { Sql } from "../sql/sql.ts";
import { EVENT_COLUMNS, type EventValues, toEventValues } from "./event-tables.ts";

/** The last position that an event of this file has, or had before a restore. */
export const LAST_POSITION =
  "SELECT max(events_after, coalesce((SELECT max(position) FROM events), 0)) FROM directory";

const INSERT = `INSERT INTO events (position, ${EVENT_COLUMNS})`;

/**
 * Appends events in the transactions of the writer, all at the end: the trigger of each insert starts a savepoint, at which
 * FTS5 writes the changes of the search index so far. Writing them once per transaction takes a third less CPU time.
 */
export class SqliteEventWriter {
  readonly #last: Statement<{ position: number }, []>;
  readonly #insert: Statement<void, [number, ...EventValues]>;
  #pending: EventDraft[] = [];

  constructor(db: Database) {
    this.#last = db.prepare(`SELECT (${LAST_POSITION}) AS position`);
    this.#insert = db.prepare(`${INSERT} VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  }

  beginTransaction(): void {
    this.#pending = [];
  }

  append(event: EventDraft): void {
    this.#pending.push(event);
  }

  /** Inserts the events so far. Call before the transaction changes events, and before it ends. */
  flush(now: number): void {
    if (this.#pending.length === 0) return;
    let position = Math.max((this.#last.get()?.position ?? 0) + 1, firstPositionAt(now));
    for (const event of this.#pending) this.#insert.run(position++, ...toEventValues(event));
    this.#pending = [];
  }
}

/** A statement that appends one event. */
export function appendSqliteEvent(event: EventDraft, now: number): Sql {
  return {
    text: `${INSERT} VALUES (max(1 + (${LAST_POSITION}), ?), ?, ?, ?, ?, ?, ?, ?, ?)`,
    values: [firstPositionAt(now), ...toEventValues(event)],
  };
}
