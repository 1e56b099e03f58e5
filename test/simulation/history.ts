import { toEventId } from "../../src/domain/events/event.ts";
import { toNumber, toText } from "../../src/store/sql/sql.ts";
import type { CommittedEvent } from "./observation.ts";
import type { Query } from "./simulated-database.ts";

const NEWER = `
  SELECT position, subject_type, action, subject_id, version, request_id FROM events WHERE position > ? ORDER BY position`;

/** Every event in the order of the commits, as the database has it. No part of the service sees this. */
export class History {
  readonly events: CommittedEvent[] = [];
  readonly #positions = new Set<number>();
  readonly #query: Query;
  #last = 0;

  constructor(query: Query) {
    this.#query = query;
  }

  /** Returns the events since the last call. */
  read(at: number): CommittedEvent[] {
    const [counted] = this.#query("SELECT count(*) FROM events");
    const missing = Number(counted?.[0]) - this.#positions.size;
    if (missing === 0) return [];
    const newer = this.#readAfter(this.#last, at);
    // An event that was committed after a later one: every event is looked at.
    const events =
      newer.length === missing
        ? newer
        : this.#readAfter(0, at).filter(({ position }) => !this.#positions.has(position));
    for (const { position } of events) {
      this.#positions.add(position);
      this.#last = Math.max(this.#last, position);
    }
    this.events.push(...events);
    return events;
  }

  #readAfter(position: number, at: number): PlacedEvent[] {
    return this.#query(NEWER, position).map((row) => toPlacedEvent(row, at));
  }
}

interface PlacedEvent extends CommittedEvent {
  readonly position: number;
}

function toPlacedEvent(
  [position, subjectType, action, subjectId, version, requestId]: unknown[],
  at: number,
): PlacedEvent {
  return {
    position: Number(position),
    id: toEventId(Number(position)),
    type: `${subjectType}.${action}`,
    subject: { type: String(subjectType), id: Number(subjectId) },
    version: toNumber(version),
    requestId: toText(requestId),
    at,
  };
}
