import type { StoredEvent } from "../domain/events/event.ts";
import type { Replay } from "../domain/webhooks/delivery-store.ts";
import { type EventMatcher, MatchedEvents } from "./event-matcher.ts";
import type { WorkerParts } from "./worker-parts.ts";

const PAGE_EVENTS = 100;

/** What a replay needs from the worker of its webhook. */
interface Deliverer {
  matcher(): EventMatcher;
  isRunning(): boolean;
  send(events: readonly StoredEvent[]): void;
  /** Whether the event still has to be sent for the first time. */
  isQueued(event: StoredEvent): boolean;
  /** Resolves when deliveries have made progress. */
  changed(): Promise<void>;
}

/** Sends the events of a time range again, a page at a time. */
export class EventReplay {
  readonly #parts: WorkerParts;
  readonly #deliverer: Deliverer;
  #progress: (Replay & { readonly finished: boolean }) | undefined;

  constructor(parts: WorkerParts, deliverer: Deliverer) {
    this.#parts = parts;
    this.#deliverer = deliverer;
  }

  /** The replay that runs, and how far it is. */
  get progress(): (Replay & { readonly finished: boolean }) | undefined {
    return this.#progress;
  }

  /** Forgets a replay that has finished. */
  clear(): void {
    this.#progress = undefined;
  }

  async run(replay: Replay): Promise<void> {
    const { clock, monitor } = this.#parts;
    this.#progress = { ...replay, finished: false };
    while (this.#deliverer.isRunning() && this.#progress && !this.#progress.finished) {
      const start = clock.monotonic();
      try {
        this.#progress = await this.#sendPage(this.#progress);
      } catch (error) {
        monitor.failed(error, "read", start);
        await clock.sleep(1000);
      }
    }
  }

  /** Returns how far the replay is after the page. */
  async #sendPage(replay: Replay): Promise<Replay & { readonly finished: boolean }> {
    const { from, to, after } = replay;
    const matcher = this.#deliverer.matcher();
    const { types } = matcher;
    const range = { from, to, limit: PAGE_EVENTS, ...(types && { types }) };
    const page = await this.#parts.events.read(after === null ? range : { ...range, after });
    // The event at the cursor was removed, and so was everything before it.
    if (!page) return { from, to, after: null, finished: false };
    const matching = await new MatchedEvents(page.events).find(matcher);
    this.#deliverer.send(matching);
    const isOpen = () => matching.some((event) => this.#deliverer.isQueued(event));
    while (isOpen() && this.#deliverer.isRunning()) await this.#deliverer.changed();
    if (isOpen()) return { from, to, after, finished: false };
    const last = page.next ?? page.events.at(-1)?.position ?? after;
    return { from, to, after: last, finished: page.next === undefined };
  }
}
