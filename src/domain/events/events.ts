import { andThen, type MaybePromise } from "../maybe-promise.ts";
import type { Meter } from "../meter.ts";
import { ProblemError } from "../problem-error.ts";
import type { EventLines, EventPage, EventQuery, EventStore } from "./event-store.ts";

/** What callers can do with events. Methods throw a `ProblemError` if they fail. */
export class Events {
  readonly #store: EventStore;

  constructor(store: EventStore) {
    this.#store = store;
  }

  /** Fails with `events-expired`. */
  list(query: EventQuery): MaybePromise<EventPage> {
    return andThen(this.#store.read(query), requireKept);
  }

  /** All events of a query, as NDJSON. Ends early when the signal aborts. Fails with `events-expired` or `quota-exceeded`. */
  async *export(query: EventQuery, signal: AbortSignal, meter?: Meter): AsyncGenerator<Uint8Array, void> {
    let reading = this.#readLines(query);
    while (!signal.aborted) {
      const { body, size, next } = await reading;
      // Reads the next page while the caller receives this one.
      if (next !== undefined) reading = this.#readLines({ ...query, after: next });
      // A space in front of a line is valid JSON. It keeps the connection open while the list waits.
      if (meter) for await (const _ of meter.count(size)) yield KEEP_ALIVE;
      if (size > 0) yield body;
      if (next === undefined) return;
    }
  }

  #readLines(query: EventQuery): Promise<EventLines> {
    const read = async () => requireKept(await this.#store.readLines(query));
    const lines = read();
    // The lines are awaited later. Until then, a failure must not count as an unhandled rejection.
    lines.catch(() => undefined);
    return lines;
  }
}

const KEEP_ALIVE = new TextEncoder().encode(" ");

function requireKept<Page>(page: Page | undefined): Page {
  if (!page) throw new ProblemError("events-expired");
  return page;
}
