import type { EventType } from "../../contract/events/event.ts";
import type { Actor } from "../caller.ts";
import type { MaybePromise } from "../maybe-promise.ts";
import type { EventSubject, StoredEvent } from "./event.ts";

/** Which events to read. All conditions must hold. */
export interface EventQuery {
  /** The position to continue after, in the direction of the list: of an event, or 0 for the beginning of the feed. */
  readonly after?: number;
  readonly limit: number;
  readonly types?: readonly EventType[];
  readonly subject?: EventSubject;
  /** The history of this user: its own events, and those of groups that name it as a member. */
  readonly historyOf?: number;
  readonly actor?: Actor;
  /** Of the request that made the change. */
  readonly requestId?: string;
  /** Milliseconds since 1970: at or after `from`, and before `to`. */
  readonly from?: number;
  readonly to?: number;
  /** Newest first. */
  readonly descending?: boolean;
  /** Only events that have their positions already: a reader that looks again soon need not wait for the others. */
  readonly published?: boolean;
}

export interface EventPage {
  readonly events: readonly StoredEvent[];
  /** The position to continue after; undefined at the end. */
  readonly next: number | undefined;
}

/** A page of events as NDJSON. */
export interface EventLines {
  readonly body: Uint8Array;
  /** The number of events. */
  readonly size: number;
  /** The position to continue after; undefined at the end. */
  readonly next: number | undefined;
}

/** Which events to remove. */
export interface EventRetention {
  /** Events before this time, in milliseconds since 1970. */
  readonly before?: number;
  /** The oldest events, if there are more than this number. */
  readonly max?: number;
  /** The oldest events, if all together have more bytes. */
  readonly maxBytes?: number;
}

/**
 * The feed of events. Every change appends its event in its own transaction. On PostgreSQL, an event gets its position after the
 * commit, from any node: a read gives positions to all events that were committed before it, and sees them. A reader that continues
 * after the last position it has seen gets every event once, and the events of one subject in the order of their commits.
 */
export interface EventStore {
  /**
   * Does a limited amount of work: a page can be short and still have a next page. Returns undefined if the feed no longer has
   * the event at `after`, or never had it, so that events may be missing. Reading with `descending` misses none.
   */
  read(query: EventQuery): MaybePromise<EventPage | undefined>;

  /** Like `read`, for long lists: the size of a page has a limit in bytes, and `limit` does not count. */
  readLines(query: EventQuery): MaybePromise<EventLines | undefined>;

  /** The position of the last event; 0 if there is none. */
  last(): MaybePromise<number>;

  /**
   * Gives positions to events, unless another node is doing so. Returns the last position. Call it again and again: then events have
   * their positions soon after their commits, also if nobody reads them.
   */
  publish(): MaybePromise<number>;

  /**
   * About how many bytes of the database are events. Each transaction counts what it appends, changes and removes. Less while
   * `countBytes` has not counted everything.
   */
  bytes(): MaybePromise<number>;

  /**
   * Counts some of the events that the database had before bytes were counted, in a short transaction. Returns their number: 0 when
   * done, or if another node does it.
   */
  countBytes(): Promise<number>;

  /** Removes some of the oldest events, in a short transaction. Returns their number: 0 when done, or if another node does it. */
  removeOldest(retention: EventRetention): Promise<number>;
}
