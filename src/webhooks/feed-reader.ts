import type { EventType } from "../contract/events/event.ts";
import { type Clock, Pause } from "../domain/clock.ts";
import type { StoredEvent } from "../domain/events/event.ts";
import type { EventFeed } from "../domain/events/event-feed.ts";
import type { EventStore } from "../domain/events/event-store.ts";
import type { FollowedEvents } from "../domain/events/follower.ts";
import type { DatabaseMonitor } from "../domain/keys/key-ring.ts";
import { loopShare } from "../domain/scheduling/loop-share.ts";
import { type EventMatcher, MatchedEvents } from "./event-matcher.ts";

/** How long to wait after a failure, and at most for new events. */
const PAUSE_MS = { failed: 50, longest: 1000 } as const;
const PAGE_EVENTS = 100;
/** Batches of the feed in memory, for webhooks that are a little behind. */
const MAX_BATCHES = 8;

/** A webhook that gets events. */
export interface EventTaker {
  /** Another matcher after a change of the webhook. */
  readonly matcher: EventMatcher;
  /** The position of the last event that was looked at. */
  readonly position: number;
  /** Whether it takes more events now. */
  readonly hasRoom: boolean;
  /** `position` is that of the last event that was looked at. Events before `position` of the taker are known. */
  take(events: readonly StoredEvent[], position: number): void;
  /** Some events were removed before they were read. */
  onExpired(): void;
  /** A purge has erased data of events: of this user, or of any. */
  forgetEvents(userId?: number): void;
}

/** Where events come from. */
export interface FeedParts {
  readonly events: EventStore;
  readonly feed: EventFeed;
  readonly monitor: DatabaseMonitor;
  readonly clock: Clock;
}

/** Events between two positions, without gaps. */
interface Batch {
  readonly after: number;
  readonly position: number;
  readonly matched: MatchedEvents;
  /** The purges that the reader knew before the events were read. */
  readonly purges: number;
}

/** Reads the feed once for all webhooks of this node, and finds out which webhooks get an event. */
export class FeedReader {
  readonly #parts: FeedParts;
  readonly #takers = new Set<EventTaker>();
  /** Until a webhook can take events, and until the feed has new ones. */
  readonly #pause: Pause;
  readonly #news: Pause;
  /** The newest events, without gaps between the batches. */
  #batches: Batch[] = [];
  /** How many purges the reader has seen. */
  #purges = 0;
  #isFollowing = false;
  #isNeeded = false;

  constructor(parts: FeedParts) {
    this.#parts = parts;
    this.#pause = new Pause(parts.clock);
    this.#news = new Pause(parts.clock);
  }

  /** How many purges the reader has seen: what was read before the last one may have been erased. */
  get purges(): number {
    return this.#purges;
  }

  /** How many webhooks get events. */
  get takers(): number {
    return this.#takers.size;
  }

  add(taker: EventTaker): void {
    this.#takers.add(taker);
  }

  remove(taker: EventTaker): void {
    this.#takers.delete(taker);
  }

  /** A webhook may have room for events. */
  wake(): void {
    this.#pause.end();
  }

  /** Resolves when the feed has new events, or after this long. */
  waitForEvents(ms: number): Promise<void> {
    return this.#news.wait(ms);
  }

  stop(): void {
    this.#pause.stop();
    this.#news.stop();
  }

  /** Runs until `stop`. Never fails. */
  async run(): Promise<void> {
    const { clock, monitor } = this.#parts;
    while (!this.#pause.isStopped) {
      const start = clock.monotonic();
      const behind = this.#listBehind();
      try {
        if (behind.length === 0) await this.#pause.wait(PAUSE_MS.longest);
        else await this.#read(behind);
      } catch (error) {
        monitor.failed(error, "read", start);
        await this.#pause.wait(PAUSE_MS.failed);
      }
    }
  }

  /** Follows the feed while it is needed: the feed then looks for events several times a second. */
  follow({ isNeeded }: { readonly isNeeded: boolean }): void {
    this.#isNeeded = isNeeded;
    if (isNeeded && !this.#isFollowing) void this.#follow();
  }

  async #follow(): Promise<void> {
    this.#isFollowing = true;
    // Nobody looked for purges until now.
    let isFirst = true;
    try {
      for await (const followed of this.#parts.feed.follow({})) {
        if (isFirst) this.#forgetEvents();
        isFirst = false;
        if (this.#pause.isStopped || !this.#isNeeded) break;
        this.#keep(followed);
        this.#news.end();
        this.wake();
      }
    } catch {
      // The next call of `follow` tries again.
    }
    this.#batches = [];
    this.#isFollowing = false;
  }

  #keep({ events, position }: FollowedEvents): void {
    const after = this.#batches.at(-1)?.position;
    for (const { type, subjectId } of events) if (type === "user.purged") this.#forgetEvents(subjectId);
    if (after !== undefined && position <= after) return;
    this.#batches.push({
      after: after ?? position,
      position,
      matched: new MatchedEvents(events),
      purges: this.#purges,
    });
    if (this.#batches.length > MAX_BATCHES) this.#batches.shift();
  }

  /** A purge erased data of earlier events. */
  #forgetEvents(userId?: number): void {
    this.#purges++;
    this.#batches = [];
    for (const taker of this.#takers) taker.forgetEvents(userId);
  }

  /** The webhooks that can take events now, those that are furthest behind first. */
  #listBehind(): EventTaker[] {
    const { last } = this.#parts.feed;
    return [...this.#takers]
      .filter((taker) => taker.hasRoom && taker.position < last)
      .sort((one, other) => one.position - other.position);
  }

  /** Gives each of these webhooks some events. Webhooks at the same place of the feed share a batch. */
  async #read(behind: readonly EventTaker[]): Promise<void> {
    const types = allTypes(behind);
    let rest = behind;
    for (let [first] = rest; first; [first] = rest) {
      const batch = await this.#readAfter(first.position, types);
      if (!batch) {
        await this.#skipExpired(first);
        rest = rest.slice(1);
        continue;
      }
      const next = rest.findIndex(({ position }) => position >= batch.position);
      const served = next < 0 ? rest : rest.slice(0, next);
      rest = rest.slice(served.length);
      for (const taker of served) await this.#give(batch, taker);
    }
  }

  async #give({ matched, position, purges }: Batch, taker: EventTaker): Promise<void> {
    const { matcher } = taker;
    const events = await matched.find(matcher);
    if (loopShare.isSpent) await loopShare.nextTurn();
    // The webhook may have changed in between, or the events.
    if (taker.hasRoom && taker.matcher === matcher && purges === this.#purges) taker.take(events, position);
  }

  /** Undefined if the feed no longer has the event at this position, so that events may be missing. */
  async #readAfter(after: number, types: readonly EventType[] | undefined): Promise<Batch | undefined> {
    const kept = this.#batches.find((batch) => batch.after <= after && after < batch.position);
    if (kept) return kept;
    const { feed, events } = this.#parts;
    const known = feed.last;
    const purges = this.#purges;
    const page = await events.read({ after, limit: PAGE_EVENTS, published: true, ...(types && { types }) });
    if (!page) return undefined;
    // The last page shows everything up to its last event, and up to what the feed knew before.
    const position = page.next ?? Math.max(page.events.at(-1)?.position ?? after, known);
    return { after, position, matched: new MatchedEvents(page.events), purges };
  }

  /** Events were removed before they could be delivered: continues with the oldest one that is kept. */
  async #skipExpired(taker: EventTaker): Promise<void> {
    const { events } = this.#parts;
    const purges = this.#purges;
    const page = await events.read({ limit: PAGE_EVENTS });
    const kept = page?.events ?? [];
    const position = kept.at(-1)?.position ?? (await events.last());
    taker.onExpired();
    await this.#give({ after: 0, position, matched: new MatchedEvents(kept), purges }, taker);
  }
}

/** Undefined for all types. */
function allTypes(takers: readonly EventTaker[]): readonly EventType[] | undefined {
  const types = new Set<EventType>();
  for (const { matcher } of takers) {
    if (!matcher.types) return undefined;
    for (const type of matcher.types) types.add(type);
  }
  return [...types];
}
