import type { Database, Statement } from "bun:sqlite";
import { toEventId } from "../../src/domain/events/event.ts";
import type { CommittedEvent } from "./observation.ts";

interface Row {
  position: number;
  subject_type: string;
  action: string;
  subject_id: number;
  version: number | null;
  request_id: string | null;
}

/** Every event in the order of the commits, as the database has it. No part of the service sees this. */
export class History {
  readonly events: CommittedEvent[] = [];
  readonly #positions = new Set<number>();
  readonly #count: Statement<{ count: number }, []>;
  readonly #newer: Statement<Row, [number]>;
  #last = 0;

  constructor(storage: Database) {
    this.#count = storage.prepare("SELECT count(*) AS count FROM events");
    this.#newer = storage.prepare(
      `SELECT position, subject_type, action, subject_id, version, request_id FROM events
       WHERE position > ? ORDER BY position`,
    );
  }

  /** Returns the events since the last call. */
  read(at: number): CommittedEvent[] {
    const missing = (this.#count.get()?.count ?? 0) - this.#positions.size;
    if (missing === 0) return [];
    const newer = this.#newer.all(this.#last);
    // An event that was committed after a later one: every event is looked at.
    const rows =
      newer.length === missing
        ? newer
        : this.#newer.all(0).filter(({ position }) => !this.#positions.has(position));
    const events = rows.map((row) => toCommitted(row, at));
    for (const { position } of rows) {
      this.#positions.add(position);
      this.#last = Math.max(this.#last, position);
    }
    this.events.push(...events);
    return events;
  }
}

function toCommitted(row: Row, at: number): CommittedEvent {
  return {
    id: toEventId(row.position),
    type: `${row.subject_type}.${row.action}`,
    subject: { type: row.subject_type, id: row.subject_id },
    version: row.version,
    requestId: row.request_id,
    at,
  };
}
