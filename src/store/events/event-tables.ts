import {
  ERASED_EVENT,
  type EventDraft,
  type EventRow,
  firstPositionAt,
  renderEvent,
  splitType,
  toStoredEvent,
} from "../../domain/events/event.ts";
import type {
  EventLines,
  EventPage,
  EventQuery,
  EventRetention,
  EventStore,
} from "../../domain/events/event-store.ts";
import { andThen } from "../../domain/maybe-promise.ts";
import type { EngineOf } from "../sql/engine.ts";
import { allOf, equalsAny, joinSql, type Sql, sql, toNumber, toText } from "../sql/sql.ts";
import type { SqlSteps } from "../sql/sql-steps.ts";
import { fromStoredActor, type StoredActor, toStoredActor } from "../sql/stored-actor.ts";
import type { TableDialect } from "../sql/table-dialect.ts";

/** Events that one page examines at most, if a filter has no index. */
const MAX_SCANNED = 5000;
/** A page of lines ends after this many bytes. Its rows are read in chunks: more rows at once could be far larger. */
const LINES_BYTES = 524_288;
const CHUNK_EVENTS = 100;
/**
 * What one transaction removes at most; if the first event has more bytes, that event. With an event of members go the rows that name
 * them, one for about 7 bytes of its changes.
 */
const MAX_REMOVED = { events: 500, bytes: 8 * 1_048_576, memberBytes: 65_536 } as const;
/** Events whose data one transaction erases at most. */
const MAX_ERASED = 500;

/** The first row of the feed after a removal: its position is that of the last removed event. */
const MARKER = { subjectType: "feed", action: "removed" } as const;

/** The action of the events that `member_events` has rows of. */
const MEMBERS_CHANGED = "members_changed";

/** The events of a user between two positions. */
export interface EventRange {
  readonly userId: number;
  readonly after: number;
  readonly to: number;
}

interface UnpublishedEvents {
  readonly found: boolean;
  /** The position of the last event that is part of the feed. */
  readonly last: number;
  /** The last key that was given. */
  readonly lastKey: number;
  /** Whether the server takes no writes, like a standby. */
  readonly isReadOnly: boolean;
}

/** The columns of an event, without its position. */
export type EventValues = readonly [
  subjectType: string,
  subjectId: number,
  action: string,
  version: number | null,
  actor: StoredActor,
  requestId: string | null,
  changes: string,
  record: string,
];

/** Pages that an index answers are short up to this many events. */
const MAX_SHORT_PAGE = 20;

/** About how many bytes of the database an event is, as the triggers count them. */
const EVENT_BYTES = "octet_length(changes) + octet_length(record) + 80";
/** The bytes of the marker. */
const MARKER_BYTES = 80;

export const EVENT_COLUMNS = "subject_type, subject_id, action, version, actor, request_id, changes, record";

export function toEventValues({ type, subjectId, version, by, changes, record }: EventDraft): EventValues {
  const [subjectType, action] = splitType(type);
  const actor = toStoredActor(by.actor);
  return [subjectType, subjectId, action, version, actor, by.requestId ?? null, changes, record];
}

/** Every statement that reads, erases or removes events, for any engine. */
export class EventTables {
  readonly #table: string;
  readonly #select: string;
  readonly #dialect: TableDialect;

  constructor(dialect: TableDialect) {
    const { schema } = dialect;
    this.#dialect = dialect;
    this.#table = `${schema}events`;
    this.#select = `
      SELECT e.position, e.subject_type, e.subject_id, e.action, e.version, e.actor, e.request_id, e.changes, e.record, k.name
      FROM ${this.#table} e LEFT JOIN ${schema}keys k ON k.id = e.actor`;
  }

  *read(query: EventQuery): SqlSteps<EventPage | undefined> {
    const { after, limit } = query;
    const lastScanned = yield* this.#lastScanned(query);
    const rows = yield this.#selectRows(query, lastScanned, limit + 1);
    if (!(yield* this.#isComplete(query, after))) return undefined;
    const events = rows.slice(0, limit).map((row) => toStoredEvent(toEventRow(row)));
    return { events, next: rows.length > limit ? events.at(-1)?.position : lastScanned };
  }

  *readLines(query: EventQuery): SqlSteps<EventLines | undefined> {
    const encoder = new TextEncoder();
    const lastScanned = yield* this.#lastScanned(query);
    const parts: Uint8Array[] = [];
    let [size, bytes] = [0, 0];
    let first: number | undefined = query.after;
    for (let { after } = query; ; ) {
      const chunk = after === undefined ? query : { ...query, after };
      const rows = yield this.#selectRows(chunk, lastScanned, CHUNK_EVENTS);
      let lines = "";
      for (const row of rows) lines += `${renderEvent(toEventRow(row))}\n`;
      const part = encoder.encode(lines);
      parts.push(part);
      size += rows.length;
      bytes += part.length;
      const isLast = rows.length < CHUNK_EVENTS;
      if (!isLast) after = Number(rows.at(-1)?.[0]);
      if (isLast || bytes >= LINES_BYTES) {
        if (!(yield* this.#isComplete(query, first))) return undefined;
        return { body: Buffer.concat(parts), size, next: isLast ? lastScanned : after };
      }
      first ??= after;
    }
  }

  /** Whether there are appended events after this key that are not part of the feed. */
  *findUnpublished(afterKey: number): SqlSteps<UnpublishedEvents> {
    const { publishing } = this.#dialect;
    if (!publishing) return { found: false, last: yield* this.last(), lastKey: 0, isReadOnly: false };
    const [row] = yield sql(publishing.find, afterKey);
    const [found, last, lastKey, readOnly] = row ?? [];
    return {
      found: found === true,
      last: Number(last),
      lastKey: Number(lastKey),
      isReadOnly: readOnly === "on",
    };
  }

  /**
   * Makes some events after this key part of the feed. Returns whether there may be more. Without `wait`, does nothing if another
   * transaction is doing so.
   */
  *publish(afterKey: number, wait: boolean): SqlSteps<boolean> {
    const { publishing } = this.#dialect;
    if (!publishing) return false;
    const [row] = yield sql(wait ? publishing.some : publishing.trySome, afterKey);
    return Number(row?.[0]) >= publishing.most;
  }

  *last(): SqlSteps<number> {
    const [row] = yield { text: `SELECT max(position) FROM ${this.#table}`, values: [] };
    return Number(row?.[0] ?? 0);
  }

  *bytes(): SqlSteps<number> {
    const [row] = yield sql(`SELECT coalesce(sum(bytes), 0) FROM ${this.#dialect.schema}event_usage`);
    return Number(row?.[0]);
  }

  /** Must run in a transaction. */
  *countBytes(): SqlSteps<number> {
    const { countEventBytes } = this.#dialect;
    return countEventBytes ? yield* countEventBytes() : 0;
  }

  /** Must run in a transaction. */
  *removeOldest({ before, max, maxBytes }: EventRetention): SqlSteps<number> {
    const { locks } = this.#dialect;
    if (locks) {
      const [lock] = yield sql(locks.tryRemoveEvents);
      if (!lock?.[0]) return 0;
    }
    if (before !== undefined) {
      const removed = yield* this.#remove(MAX_REMOVED, {
        text: "WHERE position < ?",
        values: [firstPositionAt(before)],
      });
      if (removed > 0) return removed;
    }
    if (max !== undefined) {
      const [counted] = yield {
        text: `SELECT count(*) FROM ${this.#table} WHERE subject_type <> '${MARKER.subjectType}'`,
        values: [],
      };
      const events = Math.min(Number(counted?.[0]) - max, MAX_REMOVED.events);
      if (events > 0) return yield* this.#remove({ ...MAX_REMOVED, events });
    }
    if (maxBytes !== undefined) {
      const bytes = Math.min((yield* this.bytes()) - maxBytes, MAX_REMOVED.bytes);
      if (bytes > 0) return yield* this.#remove({ ...MAX_REMOVED, bytes });
    }
    return 0;
  }

  /** The end of the next range of a user's events that one transaction can erase; undefined if few are left. */
  *findErasable(userId: number, after: number): SqlSteps<EventRange | undefined> {
    const [row] = yield {
      text: `SELECT position FROM ${this.#table} WHERE subject_type = 'user' AND subject_id = ? AND position > ?
             ORDER BY position LIMIT 1 OFFSET ?`,
      values: [userId, after, MAX_ERASED],
    };
    return row && { userId, after, to: Number(row[0]) };
  }

  /** Erases the personal data of these events, and the responses of receivers to them. */
  *erase({ userId, after, to }: EventRange): SqlSteps<void> {
    yield sql(
      `DELETE FROM ${this.#dialect.schema}webhook_responses WHERE user_id = ? AND position > ? AND position <= ?`,
      userId,
      after,
      to,
    );
    yield {
      text: `UPDATE ${this.#table} SET changes = ?, record = ?
             WHERE subject_type = 'user' AND subject_id = ? AND position > ? AND position <= ?`,
      values: [ERASED_EVENT.changes, ERASED_EVENT.record, userId, after, to],
    };
  }

  /**
   * Removes the oldest rows except the last of them, which becomes the marker. Ends with the event that makes up the given number
   * of events or bytes.
   */
  *#remove(
    limit: { readonly events: number; readonly bytes: number; readonly memberBytes: number },
    condition: Sql = { text: "", values: [] },
  ): SqlSteps<number> {
    const rows = yield joinSql(
      `SELECT position, subject_type, ${EVENT_BYTES}, CASE WHEN action = '${MEMBERS_CHANGED}' THEN octet_length(changes) ELSE 0 END
       FROM ${this.#table}`,
      condition,
      {
        text: "ORDER BY position LIMIT ?",
        // The marker comes first.
        values: [limit.events + 1],
      },
    );
    const hasMarker = rows[0]?.[1] === MARKER.subjectType;
    const events = rows.slice(hasMarker ? 1 : 0, limit.events + (hasMarker ? 1 : 0));
    // The last removed event leaves a marker, unless there is one already.
    let freed = hasMarker ? 0 : -MARKER_BYTES;
    let memberBytes = 0;
    const end = events.findIndex((row) => {
      freed += Number(row[2]);
      memberBytes += Number(row[3]);
      return freed >= limit.bytes || memberBytes >= limit.memberBytes;
    });
    const removed = end < 0 ? events : events.slice(0, end + 1);
    if (removed.length === 0) return 0;
    const position = Number(removed.at(-1)?.[0]);
    yield { text: `DELETE FROM ${this.#table} WHERE position < ?`, values: [position] };
    yield {
      text: `UPDATE ${this.#table} SET subject_type = ?, subject_id = 0, action = ?, version = NULL, actor = NULL, request_id = NULL,
             changes = '', record = '' WHERE position = ?`,
      values: [MARKER.subjectType, MARKER.action, position],
    };
    return removed.length;
  }

  #selectRows(query: EventQuery, lastScanned: number | undefined, limit: number): Sql {
    const { descending = false } = query;
    const scanned = unindexedFilters(query).length === 0 ? limit : MAX_SCANNED;
    const bound =
      lastScanned === undefined
        ? []
        : [{ text: `AND e.position ${descending ? ">=" : "<="} ?`, values: [lastScanned] }];
    return joinSql(this.#select, this.#range(query, scanned), ...unindexedFilters(query), ...bound, {
      text: `${orderOf(query)} ?`,
      values: [limit],
    });
  }

  /** Whether no event after this position is missing. Called after the rows are read: until then, none can be removed. */
  *#isComplete({ descending = false }: EventQuery, after: number | undefined): SqlSteps<boolean> {
    return after === undefined || descending || (yield* this.#isKept(after));
  }

  /** The conditions that indexes answer. Of the history of a user, the first `most` events are found. */
  #range(query: EventQuery, most: number): Sql {
    const { subject, historyOf } = query;
    if (historyOf !== undefined) return this.#historyRange(query, historyOf, most);
    const ofSubject = subject
      ? sql("e.subject_type = ? AND e.subject_id = ?", subject.type, subject.id)
      : sql(`e.subject_type <> '${MARKER.subjectType}'`);
    return joinSql("WHERE", allOf([...positionRange(query), ofSubject]));
  }

  /** An index finds the first events of the user, and another one the first events that name it as a member. */
  #historyRange(query: EventQuery, userId: number, most: number): Sql {
    const findFirst = (table: string, condition: Sql) =>
      joinSql(`SELECT e.position FROM ${table} e WHERE`, allOf([...positionRange(query), condition]), {
        text: `${orderOf(query)} ?`,
        values: [most],
      });
    const own = findFirst(this.#table, sql("e.subject_type = 'user' AND e.subject_id = ?", userId));
    const named = findFirst(`${this.#dialect.schema}member_events`, sql("e.user_id = ?", userId));
    return joinSql(
      "WHERE e.position IN (SELECT position FROM (",
      own,
      ") AS own UNION ALL SELECT position FROM (",
      named,
      ") AS named)",
    );
  }

  /** The position of the last event that a page may examine; undefined if it may examine all. */
  *#lastScanned(query: EventQuery): SqlSteps<number | undefined> {
    if (unindexedFilters(query).length === 0) return undefined;
    const [row] = yield joinSql(`SELECT e.position FROM ${this.#table} e`, this.#range(query, MAX_SCANNED), {
      text: `${orderOf(query)} 1 OFFSET ?`,
      values: [MAX_SCANNED - 1],
    });
    return row && Number(row[0]);
  }

  /** Whether the feed has every event after this position. */
  *#isKept(position: number): SqlSteps<boolean> {
    if (position > 0) {
      const [row] = yield { text: `SELECT 1 FROM ${this.#table} WHERE position = ?`, values: [position] };
      return row !== undefined;
    }
    const [marker] = yield {
      text: `SELECT 1 FROM ${this.#table} WHERE subject_type = ? AND subject_id = 0`,
      values: [MARKER.subjectType],
    };
    return marker === undefined;
  }
}

/** Gives positions to events after their commit. */
export interface Publisher {
  /** Resolves when every event that was committed before the call has its position. */
  publishAll(): Promise<void>;
  /** Publishes events, unless this node or another one is doing so. Returns the last position. */
  publishSome(): Promise<number>;
}

/** The store of events, for any engine. Without a publisher, events have their positions as soon as they are committed. */
export function eventStore(
  { read, readLong, write }: EngineOf<EventTables>,
  publisher?: Publisher,
): EventStore {
  const publish = (isPublished = false) => (isPublished ? undefined : publisher?.publishAll());
  return {
    publish: () => (publisher ? publisher.publishSome() : read("last", [])),
    read(query) {
      const isShort = unindexedFilters(query).length === 0 && query.limit <= MAX_SHORT_PAGE;
      return andThen(publish(query.published), () =>
        isShort ? read("read", [query]) : readLong("read", [query]),
      );
    },
    readLines: (query) => andThen(publish(query.published), () => readLong("readLines", [query])),
    last: () => andThen(publish(), () => read("last", [])),
    bytes: (...args) => read("bytes", args),
    countBytes: (...args) => write("countBytes", args),
    removeOldest: (...args) => write("removeOldest", args),
  };
}

function positionRange({ after, from, to, descending = false }: EventQuery): Sql[] {
  const conditions: Sql[] = [];
  if (after !== undefined) conditions.push(sql(`e.position ${descending ? "<" : ">"} ?`, after));
  if (from !== undefined) conditions.push(sql("e.position >= ?", firstPositionAt(from)));
  if (to !== undefined) conditions.push(sql("e.position < ?", firstPositionAt(to)));
  return conditions;
}

function orderOf({ descending = false }: EventQuery): string {
  return `ORDER BY e.position ${descending ? "DESC" : "ASC"} LIMIT`;
}

/** The conditions that are tested event by event, in the order of positions. */
function unindexedFilters({ types, actor, requestId }: EventQuery): Sql[] {
  const filters: Sql[] = [];
  if (types) {
    // The type as one text, like `user.created`: with a condition on the column alone, SQLite would read all events of all users by the
    // index of subjects, and sort them.
    const { text, values } = equalsAny("e.subject_type || '.' || e.action", types);
    filters.push({ text: `AND ${text}`, values });
  }
  const stored = actor && toStoredActor(actor);
  if (stored === null) filters.push({ text: "AND e.actor IS NULL", values: [] });
  else if (stored !== undefined) filters.push({ text: "AND e.actor = ?", values: [stored] });
  if (requestId !== undefined) filters.push({ text: "AND e.request_id = ?", values: [requestId] });
  return filters;
}

function toEventRow(row: readonly unknown[]): EventRow {
  const [position, subjectType, subjectId, action, version, actor, requestId, changes, record, actorName] =
    row;
  return {
    position: Number(position),
    subjectType: String(subjectType),
    subjectId: Number(subjectId),
    action: String(action),
    version: toNumber(version),
    actor: fromStoredActor(toNumber(actor)),
    requestId: toText(requestId),
    actorName: toText(actorName),
    changes: String(changes),
    record: String(record),
  };
}
