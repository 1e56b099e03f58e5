import type { StoredEvent } from "../domain/events/event.ts";
import { ProblemError } from "../domain/problem-error.ts";
import type { EventMatcher } from "./event-matcher.ts";
import type { WorkerParts } from "./worker-parts.ts";

const PAUSE_MS = 50;
const PAGE_EVENTS = 100;

/** What reading the feed needs from the worker of its webhook. */
interface EventTaker {
  /** Another matcher after a change of the webhook. */
  matcher(): EventMatcher;
  isRunning(): boolean;
  /** The position of the last event that was looked at. */
  position(): number;
  /** Whether the worker has enough events. */
  isFull(): boolean;
  /** `position` is that of the last event that was looked at. */
  take(events: readonly StoredEvent[], position: number, matcher: EventMatcher): void;
  /** Resolves when deliveries have made progress. */
  changed(): Promise<void>;
  /** Some events were removed before they were read. */
  onExpired(): void;
}

/** Reads the events of one webhook from the feed, while there is room for them. */
export class FeedReader {
  readonly #parts: WorkerParts;
  readonly #taker: EventTaker;

  constructor(parts: WorkerParts, taker: EventTaker) {
    this.#parts = parts;
    this.#taker = taker;
  }

  /** Runs as long as the worker. Never fails. */
  async run(): Promise<void> {
    const { clock, feed, monitor } = this.#parts;
    const taker = this.#taker;
    while (taker.isRunning()) {
      const start = clock.monotonic();
      const matcher = taker.matcher();
      const isSame = () => taker.isRunning() && matcher === taker.matcher();
      try {
        const query = { after: taker.position(), ...(matcher.types && { types: matcher.types }) };
        for await (const { events, position } of feed.follow(query)) {
          if (!isSame()) break;
          taker.take(events, position, matcher);
          while (taker.isFull() && taker.isRunning()) await taker.changed();
        }
      } catch (error) {
        if (error instanceof ProblemError && error.type === "events-expired") await this.#skipExpired();
        else monitor.failed(error, "read", start);
      }
      // The feed has stopped, or the database does not respond.
      if (isSame()) await clock.sleep(PAUSE_MS);
    }
  }

  /** Events were removed before they could be delivered: continues with the oldest one that is kept. */
  async #skipExpired(): Promise<void> {
    const { clock, events, monitor } = this.#parts;
    const matcher = this.#taker.matcher();
    const start = clock.monotonic();
    try {
      const page = await events.read({ limit: PAGE_EVENTS });
      const kept = page?.events ?? [];
      const last = kept.at(-1)?.position ?? (await events.last());
      this.#taker.onExpired();
      const isRequested = ({ type }: StoredEvent) => matcher.types?.some((each) => each === type) ?? true;
      this.#taker.take(kept.filter(isRequested), last, matcher);
    } catch (error) {
      monitor.failed(error, "read", start);
    }
  }
}
