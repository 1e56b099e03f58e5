import { toEventId } from "../../src/domain/events/event.ts";
import { toNumber, toText } from "../../src/store/sql/sql.ts";
import type { Change, PublishedEvent } from "./observation.ts";
import type { Query } from "./simulated-database.ts";

const COLUMNS = "subject_type, action, subject_id, version, request_id";
const APPENDED = `SELECT key, ${COLUMNS} FROM new_events ORDER BY key`;
const PUBLISHED = `
  SELECT position, key, ${COLUMNS} FROM events LEFT JOIN published USING (position) WHERE position > ? ORDER BY position`;

/** What the history has seen since the last look. */
interface News {
  readonly changes: readonly Change[];
  readonly events: readonly PublishedEvent[];
}

/** Every change and every event, as the database has it. No part of the service sees this. */
export class History {
  /** In the order of the commits. */
  readonly changes: Change[] = [];
  /** In the order in which they became part of the feed. */
  readonly events: PublishedEvent[] = [];
  readonly #changesByKey = new Map<number, Change>();
  readonly #positions = new Set<number>();
  readonly #query: Query;
  #last = 0;

  constructor(query: Query) {
    this.#query = query;
  }

  read(at: number): News {
    const changes = this.#readAppended(at);
    const events = this.#readPublished(at, changes);
    this.changes.push(...changes);
    this.events.push(...events);
    return { changes, events };
  }

  /** Changes whose events are not part of the feed yet. A transaction can be committed after one that has appended later. */
  #readAppended(at: number): Change[] {
    const changes: Change[] = [];
    for (const [key, ...row] of this.#query(APPENDED)) {
      if (this.#changesByKey.has(Number(key))) continue;
      const change = toChange(row, at);
      this.#changesByKey.set(Number(key), change);
      changes.push(change);
    }
    return changes;
  }

  #readPublished(at: number, changes: Change[]): PublishedEvent[] {
    const [counted] = this.#query("SELECT count(*) FROM events");
    const missing = Number(counted?.[0]) - this.#positions.size;
    if (missing === 0) return [];
    const newer = this.#query(PUBLISHED, this.#last);
    // An event that was published after a later one: every event is looked at.
    const rows =
      newer.length === missing
        ? newer
        : this.#query(PUBLISHED, 0).filter(([position]) => !this.#positions.has(Number(position)));
    return rows.map(([number, key, ...row]) => {
      const position = Number(number);
      this.#positions.add(position);
      this.#last = Math.max(this.#last, position);
      let change = this.#changesByKey.get(Number(key));
      if (!change) {
        // Committed and published at the same time.
        change = toChange(row, at);
        changes.push(change);
      }
      change.eventId = toEventId(position);
      return { ...change, id: change.eventId, at };
    });
  }
}

function toChange([subjectType, action, subjectId, version, requestId]: unknown[], at: number): Change {
  return {
    eventId: undefined,
    type: `${subjectType}.${action}`,
    subject: { type: String(subjectType), id: Number(subjectId) },
    version: toNumber(version),
    requestId: toText(requestId),
    at,
  };
}
