import type { MaybePromise } from "../maybe-promise.ts";
import type { StoredEvent } from "./event.ts";
import type { EventQuery } from "./event-store.ts";

/** Which events a follower gets. */
export type FollowQuery = Pick<
  EventQuery,
  "after" | "types" | "subject" | "historyOf" | "actor" | "requestId" | "from"
>;

/** What a follower gets: events in order, and the position up to which it has seen the feed. */
export interface FollowedEvents {
  readonly events: readonly StoredEvent[];
  readonly position: number;
  /** How many purges the feed knew before the events were read. */
  readonly purges: number;
}

/** What a follower asks of its feed. */
interface FeedHooks {
  /** Asks for the events after `position`. */
  request(): void;
  /** Takes the request back. Returns false if there is none, or if the feed reads the store for it. */
  withdraw(): boolean;
  end(): void;
}

/** One follower of the feed: what it has seen, and what it waits for. */
export class Follower {
  /** What is due without an event. */
  onCheck: () => MaybePromise<void> = () => undefined;
  readonly query: FollowQuery;
  readonly #hooks: FeedHooks;
  #first: FollowedEvents | undefined;
  #position: number;
  #pending: PromiseWithResolvers<FollowedEvents | undefined> | undefined;
  #isEnded = false;

  /** `first` are the events that the follower gets first. */
  constructor(query: FollowQuery, first: FollowedEvents, hooks: FeedHooks) {
    this.query = query;
    this.#first = first;
    this.#position = first.position;
    this.#hooks = hooks;
  }

  /** Up to where the follower has seen the feed. */
  get position(): number {
    return this.#position;
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  /**
   * Resolves with the next events: at once the first time, then when there are new ones, none of which may match the query.
   * Undefined when the follower has ended. Call it again only after it has resolved.
   */
  next(): Promise<FollowedEvents | undefined> {
    if (this.#isEnded) return Promise.resolve(undefined);
    if (this.#first) {
      const first = this.#first;
      this.#first = undefined;
      return Promise.resolve(first);
    }
    this.#pending = Promise.withResolvers();
    const { promise } = this.#pending;
    this.#hooks.request();
    return promise;
  }

  /** Resolves `next`. */
  give(followed: FollowedEvents): void {
    // The follower may have ended before its events arrived.
    if (!this.#pending) return;
    this.#position = followed.position;
    this.#pending.resolve(followed);
    this.#pending = undefined;
  }

  /** Rejects `next`. */
  fail(error: unknown): void {
    this.#pending?.reject(error);
    this.#pending = undefined;
  }

  /** The feed calls it several times a second. Never fails: after an error, the next check decides. */
  check(): void {
    try {
      const checked = this.onCheck();
      if (checked instanceof Promise) checked.catch(() => undefined);
    } catch {
      // For example, the database cannot be read now.
    }
  }

  /** Resolves `next` without an event, unless the feed reads the store for it. */
  wake(): void {
    if (this.#hooks.withdraw()) this.give({ events: [], position: this.#position, purges: 0 });
  }

  /** Leaves the place to others. */
  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#hooks.withdraw();
    this.#pending?.resolve(undefined);
    this.#pending = undefined;
    this.#hooks.end();
  }
}
