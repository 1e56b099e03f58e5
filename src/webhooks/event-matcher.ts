import { type EventType, matchEventTypes } from "../contract/events/event.ts";
import type { Json } from "../contract/json.ts";
import type { StoredEvent } from "../domain/events/event.ts";
import { compileExpression } from "../domain/filter/compile-expression.ts";
import { parseExpression } from "../domain/filter/parse-expression.ts";
import { loopShare } from "../domain/scheduling/loop-share.ts";
import type { WebhookSettings } from "../domain/webhooks/webhook-store.ts";

type EventRecord = { readonly [field: string]: Json };

/** Which events a webhook gets. */
export interface EventMatcher {
  /** Undefined for all types. */
  readonly types: readonly EventType[] | undefined;
  /** Undefined for all records. */
  readonly test: ((record: EventRecord) => boolean) | undefined;
}

/** There are at most 100 webhooks, and the settings of some change. */
const MAX_MATCHERS = 256;

/** The matchers of webhooks: those with the same types and the same filter have the same matcher. */
export class EventMatchers {
  readonly #matchers = new Map<string, EventMatcher>();

  of({ types, filter }: Pick<WebhookSettings, "types" | "filter">): EventMatcher {
    const key = JSON.stringify([types, filter]);
    const known = this.#matchers.get(key);
    if (known) return known;
    if (this.#matchers.size >= MAX_MATCHERS) this.#matchers.clear();
    const matcher: EventMatcher = {
      types: types.includes("*") ? undefined : [...new Set(types.flatMap(matchEventTypes))],
      test: filter === null ? undefined : compileExpression(parseExpression(filter)),
    };
    this.#matchers.set(key, matcher);
    return matcher;
  }
}

/** Some events, and which of them each matcher finds: an event is parsed once, and tested once for each different matcher. */
export class MatchedEvents {
  readonly #events: readonly StoredEvent[];
  readonly #records = new Map<StoredEvent, EventRecord>();
  readonly #found = new Map<EventMatcher, readonly StoredEvent[]>();

  constructor(events: readonly StoredEvent[]) {
    this.#events = events;
  }

  /** Leaves the event loop to others between events. */
  async find(matcher: EventMatcher): Promise<readonly StoredEvent[]> {
    const known = this.#found.get(matcher);
    if (known) return known;
    const { types, test } = matcher;
    const found: StoredEvent[] = [];
    for (const event of this.#events) {
      if (types && !types.some((type) => type === event.type)) continue;
      if (test) {
        if (loopShare.isSpent) await loopShare.nextTurn();
        if (!test(this.#recordOf(event))) continue;
      }
      found.push(event);
    }
    this.#found.set(matcher, found);
    return found;
  }

  #recordOf(event: StoredEvent): EventRecord {
    const known = this.#records.get(event);
    if (known) return known;
    const { record }: { readonly record: EventRecord } = JSON.parse(event.json);
    this.#records.set(event, record);
    return record;
  }
}
