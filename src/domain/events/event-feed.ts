import { isSameActor } from "../caller.ts";
import { type Clock, Pause, type Timer } from "../clock.ts";
import type { DatabaseMonitor } from "../keys/key-ring.ts";
import { ProblemError } from "../problem-error.ts";
import { loopShare } from "../scheduling/loop-share.ts";
import { Semaphore } from "../scheduling/semaphore.ts";
import { SendSlice } from "../scheduling/send-slice.ts";
import { type EventSubject, namesMember, type StoredEvent, splitType, toEventId } from "./event.ts";
import type { EventPage, EventQuery, EventStore } from "./event-store.ts";
import { type FollowedEvents, Follower, type FollowQuery } from "./follower.ts";

/**
 * How often the feed looks for new events, with and without followers. On PostgreSQL, the time of an event is the time at which it
 * became part of the feed, so the feed looks also without followers. Each follower adds some time: it is cheaper to send many
 * followers several events together than one after the other.
 */
const POLL_MS = { followed: 50, perFollower: 0.05, longest: 150, idle: 100 } as const;
/** How often followers are checked. */
const CHECK_MS = 250;
/** Events that the feed reads at a time: on SQLite, the event loop waits for them. */
const PAGE_EVENTS = 100;
/** Events that the feed keeps in memory for its followers. Slower followers read the store. */
const MAX_KEPT = { events: 2000, characters: 8 * 1_048_576 } as const;
/**
 * Events that a follower gets at a time: a follower that does not read keeps one batch in memory. The batches of all followers
 * together have a limit too. A batch has at least one event.
 */
const BATCH = { events: 100, characters: 65_536, charactersOfAll: 64 * 1_048_576 } as const;
/** Batches that the feed keeps for followers at the same position. */
const MAX_BATCHES = 64;
/** Followers that read the store at a time. Each reads up to a batch of large events. */
const STORE_READS = 8;

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
  #purges = 0;
  readonly #followers = new Set<Follower>();
  /** Followers that have seen every event. */
  readonly #waiting = new Set<Follower>();
  /** Followers that get events, or have to look for them, in the order of their turns. */
  readonly #due = new Set<Follower>();
  #isSending = false;
  #isChecking = false;
  readonly #storeReads = new Semaphore(STORE_READS);
  readonly #pause: Pause;
  #running: Promise<void> = Promise.resolve();
  #checks: Timer | undefined;

  constructor(store: EventStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
    this.#pause = new Pause(clock);
  }

  /** The position of the last event that this node knows. May be a tenth of a second old. */
  get last(): number {
    return this.#last;
  }

  /** The id of that event. */
  get lastId(): string {
    return this.#lastId;
  }

  /** How many times purges have erased data of events that followers may have got, but not passed on yet. */
  get purges(): number {
    return this.#purges;
  }

  /** Reads the position of the last event, then follows the store until `stop`. Failures are retried. */
  async start(monitor: DatabaseMonitor): Promise<void> {
    this.#forget(await this.#store.last());
    this.#notify();
    this.#running = this.#run(monitor);
    this.#checks = this.#clock.every(CHECK_MS, () => void this.#check());
  }

  /** Ends every follower. */
  async stop(): Promise<void> {
    this.#pause.stop();
    this.#checks?.clear();
    for (const follower of this.#followers) {
      follower.end();
      follower.check();
    }
    await this.#running;
  }

  /**
   * Yields new events as they are committed; several times a second also without events. Ends when the service stops. Fails with
   * `events-expired`.
   */
  async *follow(query: FollowQuery): AsyncGenerator<FollowedEvents, void> {
    const follower = await this.open(query);
    follower.onCheck = () => follower.wake();
    try {
      for (let next = await follower.next(); next; next = await follower.next()) yield next;
    } finally {
      follower.end();
    }
  }

  /**
   * Without `after`, the follower begins with the next event. It ends when the service stops; its `onEnd` is called then. Fails with
   * `events-expired`.
   */
  async open(query: FollowQuery, onEnd: () => void = () => undefined): Promise<Follower> {
    const position = query.after ?? (await this.#store.last());
    // The store knows whether it has the event at the cursor.
    const first = await this.#readStore(query, position);
    const follower = new Follower(query, first, {
      request: () => this.#request(follower),
      withdraw: () => this.#withdraw(follower),
      end: () => {
        this.#followers.delete(follower);
        onEnd();
      },
    });
    this.#followers.add(follower);
    if (this.#pause.isStopped) follower.end();
    // The feed may have slept for longer than with followers.
    else this.#pause.end();
    return follower;
  }

  /** The follower wants the next events. */
  #request(follower: Follower): void {
    // The store may be ahead of the feed: the feed knows soon.
    if (follower.position >= this.#last) {
      this.#waiting.add(follower);
    } else {
      this.#due.add(follower);
      this.#startSending();
    }
  }

  #withdraw(follower: Follower): boolean {
    return this.#waiting.delete(follower) || this.#due.delete(follower);
  }

  #startSending(): void {
    if (this.#isSending) return;
    this.#isSending = true;
    void this.#send();
  }

  /** Gives followers their events in slices: other callers get their turn in between. */
  async #send(): Promise<void> {
    const slice = new SendSlice();
    // A follower that becomes due while others are served comes last.
    for (const follower of this.#due) {
      if (slice.isFull) await slice.nextTurn();
      if (this.#due.delete(follower)) slice.add(this.#serve(follower));
    }
    this.#isSending = false;
  }

  /** Gives a follower its next events. Returns the characters of these events. */
  #serve(follower: Follower): number {
    const batch = this.#since(follower.position);
    if (batch === undefined) {
      void this.#serveFromStore(follower);
      return 0;
    }
    if (batch.events.length === 0) {
      this.#waiting.add(follower);
      return 0;
    }
    const followed = filterBatch(batch, follower.query);
    follower.give(followed);
    return countCharacters(followed.events);
  }

  async #serveFromStore(follower: Follower): Promise<void> {
    try {
      const followed = await this.#readStore(follower.query, follower.position);
      follower.give(followed);
    } catch (error) {
      follower.fail(error);
    }
  }

  /** Lets every follower look for what is due without an event. */
  async #check(): Promise<void> {
    if (this.#isChecking) return;
    this.#isChecking = true;
    for (const follower of this.#followers) {
      if (loopShare.isSpent) await loopShare.nextTurn();
      follower.check();
    }
    this.#isChecking = false;
  }

  /** The next events after this position; undefined if the feed no longer has all of them, or is behind. */
  #since(position: number): FollowedEvents | undefined {
    if (position < this.#start || position > this.#last) return undefined;
    const known = this.#batches.get(position);
    if (known) return known;
    // Most followers are at most a few events behind.
    let index = this.#kept.length;
    while (index > 0 && (this.#kept[index - 1]?.position ?? 0) > position) index--;
    const batch = this.#cutBatch(this.#kept.slice(index, index + BATCH.events), position);
    if (this.#batches.size >= MAX_BATCHES) this.#batches.clear();
    this.#batches.set(position, batch);
    return batch;
  }

  async #readStore(query: FollowQuery, after: number): Promise<FollowedEvents> {
    const known = this.#last;
    const purges = this.#purges;
    const page = await this.#readPage({ ...query, after, limit: BATCH.events });
    if (!page) throw new ProblemError("events-expired");
    const batch = { ...this.#cutBatch(page.events, after), purges };
    if (batch.events.length < page.events.length) return batch;
    // The last page shows everything up to its last event, and up to what the feed knew before.
    return { ...batch, position: page.next ?? Math.max(batch.position, known) };
  }

  /** The first events of these that fit into a batch, at least one. `after` is the position before them. */
  #cutBatch(events: readonly StoredEvent[], after: number): FollowedEvents {
    const most = Math.min(BATCH.characters, BATCH.charactersOfAll / this.#followers.size);
    let characters = 0;
    const end = events.findIndex(({ json }, index) => {
      characters += json.length;
      return index > 0 && characters > most;
    });
    const fitting = end < 0 ? events : events.slice(0, end);
    return { events: fitting, position: fitting.at(-1)?.position ?? after, purges: this.#purges };
  }

  /** On SQLite, the event loop waits for the page: other callers get their turn before. */
  #readPage(query: EventQuery): Promise<EventPage | undefined> {
    return this.#storeReads.run(async () => {
      if (loopShare.isSpent) await loopShare.nextTurn();
      return this.#store.read({ ...query, published: true });
    });
  }

  async #run(monitor: DatabaseMonitor): Promise<void> {
    while (!this.#pause.isStopped) {
      const start = this.#clock.monotonic();
      try {
        await this.#poll();
      } catch (error) {
        monitor.failed(error, "read", start);
      }
      // With slow polls too, most of the time belongs to others.
      const pollMs = this.#pollMs();
      await this.#pause.wait(Math.max(pollMs - (this.#clock.monotonic() - start), pollMs / 2));
    }
  }

  #pollMs(): number {
    if (this.#followers.size === 0) return POLL_MS.idle;
    return Math.min(POLL_MS.followed + this.#followers.size * POLL_MS.perFollower, POLL_MS.longest);
  }

  async #poll(): Promise<void> {
    const last = await this.#store.publish();
    if (last === this.#last) return;
    if (this.#followers.size === 0 || last < this.#last) this.#forget(last);
    else while (this.#last < last && (await this.#append()));
    this.#notify();
  }

  /** Returns false if the store no longer has the events that follow. */
  async #append(): Promise<boolean> {
    const page = await this.#readPage({ after: this.#last, limit: PAGE_EVENTS });
    const newest = page?.events.at(-1);
    if (!page || !newest) {
      this.#forget(await this.#store.last());
      return false;
    }
    // The purge erased data of earlier events.
    if (page.events.some(({ type }) => type === "user.purged")) {
      this.#forget(this.#last);
      this.#purges++;
    }
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
    for (const follower of this.#waiting) this.#due.add(follower);
    this.#waiting.clear();
    if (this.#due.size > 0) this.#startSending();
  }
}

function filterBatch(batch: FollowedEvents, query: FollowQuery): FollowedEvents {
  const { types, subject, historyOf, actor, requestId } = query;
  if ((types ?? subject ?? historyOf ?? actor ?? requestId) === undefined) return batch;
  const events = batch.events.filter((event) => isRequested(event, query));
  // Followers of the same events get the same object.
  return events.length === batch.events.length ? batch : { ...batch, events };
}

function countCharacters(events: readonly StoredEvent[]): number {
  let characters = 0;
  for (const { json } of events) characters += json.length;
  return characters;
}

function isRequested(
  event: StoredEvent,
  { types, subject, historyOf, actor, requestId }: FollowQuery,
): boolean {
  return (
    (types === undefined || types.some((type) => type === event.type)) &&
    (actor === undefined || isSameActor(actor, event.actor)) &&
    (requestId === undefined || requestId === event.requestId) &&
    (subject === undefined || isOf(event, subject)) &&
    (historyOf === undefined || isInHistory(event, historyOf))
  );
}

function isInHistory(event: StoredEvent, userId: number): boolean {
  return isOf(event, { type: "user", id: userId }) || namesMember(event, userId);
}

function isOf({ type, subjectId }: StoredEvent, subject: EventSubject): boolean {
  return subjectId === subject.id && splitType(type)[0] === subject.type;
}
