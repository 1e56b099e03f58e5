import type { StoredEvent } from "./event.ts";
import type { EventPage, EventQuery, EventStore } from "./event-store.ts";
import { andThen, type MaybePromise } from "./maybe-promise.ts";
import type { Meter } from "./meter.ts";
import { ProblemError } from "./problem-error.ts";

/** A page of a stream has about this many characters. */
const PAGE_CHARACTERS = 1_048_576;
const MAX_PAGE_EVENTS = 1000;
const FIRST_PAGE_EVENTS = 100;

/** What callers can do with events. Methods throw a `ProblemError` if they fail. */
export class Events {
  readonly #store: EventStore;

  constructor(store: EventStore) {
    this.#store = store;
  }

  /** Fails with `events-expired`. */
  list(query: EventQuery): MaybePromise<EventPage> {
    return andThen(this.#store.read(query), (page) => {
      if (!page) throw new ProblemError("events-expired");
      return page;
    });
  }

  /** All events of a query, as NDJSON. Ends early when the signal aborts. Fails with `events-expired` or `quota-exceeded`. */
  async *export(query: EventQuery, signal: AbortSignal, meter?: Meter): AsyncGenerator<Uint8Array, void> {
    const encoder = new TextEncoder();
    let { after } = query;
    let limit = FIRST_PAGE_EVENTS;
    while (!signal.aborted) {
      const { events, next } = await this.list({ ...query, limit, ...(after !== undefined && { after }) });
      // A space in front of a line is valid JSON. It keeps the connection open while the list waits.
      if (meter) for await (const _ of meter.count(events.length)) yield KEEP_ALIVE;
      const text = toLines(events);
      if (text !== "") yield encoder.encode(text);
      if (next === undefined) return;
      after = next;
      limit = nextLimit(limit, events.length, text.length);
    }
  }
}

const KEEP_ALIVE = new TextEncoder().encode(" ");

function toLines(events: readonly StoredEvent[]): string {
  let text = "";
  for (const { json } of events) text += `${json}\n`;
  return text;
}

/** Reads fewer events per page if they are large, to bound memory. */
function nextLimit(limit: number, events: number, characters: number): number {
  if (events === 0) return limit;
  const fitting = Math.floor((events * PAGE_CHARACTERS) / characters);
  return Math.max(1, Math.min(limit * 2, fitting, MAX_PAGE_EVENTS));
}
