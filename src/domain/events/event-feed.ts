import { eventLimits } from "../../contract/events/event.ts";
import { type Clock, Pause, type Timer } from "../clock.ts";
import type { DatabaseMonitor } from "../keys/key-ring.ts";
import { ProblemError } from "../problem-error.ts";
import { type EventSubject, type StoredEvent, splitType, toEventId } from "./event.ts";
import type { EventQuery, EventStore } from "./event-store.ts";

/**
 * How often the feed looks for new events, with and without followers. Each follower adds some time: it is cheaper to send many
 * followers several events together than one after the other.
 */
const POLL_MS = { followed: 50, perFollower: 0.05, longest: 150, idle: 1000 } as const;
/** How often followers wake up without a new event. */
const TICK_MS = 250;
const PAGE_EVENTS = 500;
/** Events that the feed keeps in memory for its followers. Slower followers read the store. */
const MAX_KEPT = { events: 2000, characters: 8 * 1_048_576 } as const;
/** Events that a follower gets at a time: a follower that does not read keeps one batch in memory. */
const BATCH = { events: 100, characters: 65_536 } as const;

/** Which events a follower gets. */
export type FollowQuery = Pick<EventQuery, "after" | "types" | "subject" | "actor" | "from">;

/** What a follower gets: events in order, and the position up to which it has seen the feed. */
export interface FollowedEvents {
  readonly events: readonly StoredEvent[];
  readonly position: number;
}

/** Reads new events once for all followers of this node. */
export class EventFeed {
  readonly #store: EventStore;
  readonly #clock: Clock;
  /** Without gaps: every event after `#start`, up to `#last`. */
  #kept: StoredEvent[] = [];
  /** What followers at these positions get next: the same object for all followers without a filter. */
  readonly #batches = new Map<number, FollowedEvents>();
  #keptCharacters = 0;
  #start = 0;
  #last = 0;
  #lastId = toEventId(0);
  #followers = 0;
  #changed = Promise.withResolvers<void>();
  readonly #pause: Pause;
  #running: Promise<void> = Promise.resolve();
  #ticks: Timer | undefined;

  constructor(store: EventStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
    this.#pause = new Pause(clock);
  }

  /** The position of the last event that this node knows. May be a second old. */
  get last(): number {
    return this.#last;
  }

  /** The id of that event. */
  get lastId(): string {
    return this.#lastId;
  }

  /** Reads the position of the last event, then follows the store until `stop`. Failures are retried. */
  async start(monitor: DatabaseMonitor): Promise<void> {
    this.#forget(await this.#store.last());
    this.#notify();
    this.#running = this.#run(monitor);
    this.#ticks = this.#clock.every(TICK_MS, () => this.#notify());
  }

  /** Ends every follower. */
  async stop(): Promise<void> {
    this.#pause.stop();
    this.#ticks?.clear();
    this.#notify();
    await this.#running;
  }

  /**
   * Yields new events as they are committed; several times a second also without events. Without `after`, begins with the next
   * event. Ends when the service stops. Fails with `events-expired`, or with `unavailable` if there are too many followers.
   */
  async *follow(query: FollowQuery): AsyncGenerator<FollowedEvents, void> {
    if (this.#followers >= eventLimits.followers) {
      throw new ProblemError("unavailable", "Too many callers follow the events. Try again shortly.");
    }
    this.#followers++;
    this.#pause.end();
    try {
      let position = query.after ?? (await this.#store.last());
      // The store knows whether it has the event at the cursor.
      let followed = await this.#readStore(query, position);
      while (!this.#pause.isStopped) {
        yield followed;
        position = followed.position;
        // The store is ahead of the feed, or has lost events: the feed knows soon.
        if (position > this.#last) await this.#changed.promise;
        const batch = this.#since(position);
        if (batch === undefined) {
          followed = await this.#readStore(query, position);
        } else if (batch.events.length > 0) {
          followed = filterBatch(batch, query);
        } else {
          await this.#changed.promise;
          followed = batch;
        }
      }
    } finally {
      this.#followers--;
    }
  }

  /** The next events after this position; undefined if the feed no longer has all of them, or is behind. */
  #since(position: number): FollowedEvents | undefined {
    if (position < this.#start || position > this.#last) return undefined;
    const known = this.#batches.get(position);
    if (known) return known;
    // Most followers are at most a few events behind.
    let index = this.#kept.length;
    while (index > 0 && (this.#kept[index - 1]?.position ?? 0) > position) index--;
    const batch = cutBatch(this.#kept.slice(index, index + BATCH.events), position);
    this.#batches.set(position, batch);
    return batch;
  }

  async #readStore(query: FollowQuery, after: number): Promise<FollowedEvents> {
    const known = this.#last;
    const page = await this.#store.read({ ...query, after, limit: BATCH.events });
    if (!page) throw new ProblemError("events-expired");
    const batch = cutBatch(page.events, after);
    if (batch.events.length < page.events.length) return batch;
    // The last page shows everything up to its last event, and up to what the feed knew before.
    return { ...batch, position: page.next ?? Math.max(batch.position, known) };
  }

  async #run(monitor: DatabaseMonitor): Promise<void> {
    while (!this.#pause.isStopped) {
      const start = this.#clock.monotonic();
      try {
        await this.#poll();
      } catch (error) {
        monitor.failed(error, "read", start);
      }
      await this.#pause.wait(this.#pollMs());
    }
  }

  #pollMs(): number {
    if (this.#followers === 0) return POLL_MS.idle;
    return Math.min(POLL_MS.followed + this.#followers * POLL_MS.perFollower, POLL_MS.longest);
  }

  async #poll(): Promise<void> {
    const last = await this.#store.last();
    if (last === this.#last) return;
    if (this.#followers === 0 || last < this.#last) this.#forget(last);
    else while (this.#last < last && (await this.#append()));
    this.#notify();
  }

  /** Returns false if the store no longer has the events that follow. */
  async #append(): Promise<boolean> {
    const page = await this.#store.read({ after: this.#last, limit: PAGE_EVENTS });
    const newest = page?.events.at(-1);
    if (!page || !newest) {
      this.#forget(await this.#store.last());
      return false;
    }
    // The purge erased data of earlier events.
    if (page.events.some(({ type }) => type === "user.purged")) this.#forget(this.#last);
    for (const event of page.events) {
      this.#kept.push(event);
      this.#keptCharacters += event.json.length;
    }
    this.#last = newest.position;
    this.#batches.clear();
    this.#trim();
    this.#notify();
    return true;
  }

  /** Half of the events go at a time: removing from the front of an array costs as much as keeping the rest. */
  #trim(): void {
    while (this.#kept.length > MAX_KEPT.events || this.#keptCharacters > MAX_KEPT.characters) {
      const removed = this.#kept.splice(0, Math.ceil(this.#kept.length / 2));
      for (const { json } of removed) this.#keptCharacters -= json.length;
      this.#start = removed.at(-1)?.position ?? this.#start;
    }
  }

  #forget(last: number): void {
    this.#kept = [];
    this.#batches.clear();
    this.#keptCharacters = 0;
    this.#start = last;
    this.#last = last;
  }

  #notify(): void {
    this.#lastId = toEventId(this.#last);
    const { resolve } = this.#changed;
    this.#changed = Promise.withResolvers();
    resolve();
  }
}

/** The first events of these that fit into a batch, at least one. `after` is the position before them. */
function cutBatch(events: readonly StoredEvent[], after: number): FollowedEvents {
  let characters = 0;
  const end = events.findIndex(({ json }, index) => {
    characters += json.length;
    return index > 0 && characters > BATCH.characters;
  });
  const fitting = end < 0 ? events : events.slice(0, end);
  return { events: fitting, position: fitting.at(-1)?.position ?? after };
}

function filterBatch(batch: FollowedEvents, query: FollowQuery): FollowedEvents {
  const { types, subject, actor } = query;
  if (types === undefined && subject === undefined && actor === undefined) return batch;
  return { ...batch, events: batch.events.filter((event) => isRequested(event, query)) };
}

function isRequested(event: StoredEvent, { types, subject, actor }: FollowQuery): boolean {
  return (
    (types === undefined || types.some((type) => type === event.type)) &&
    (actor === undefined || actor === event.actor) &&
    (subject === undefined || isOf(event, subject))
  );
}

function isOf({ type, subjectId }: StoredEvent, subject: EventSubject): boolean {
  return subjectId === subject.id && splitType(type)[0] === subject.type;
}
