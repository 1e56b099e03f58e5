import { parseEventId } from "../../src/domain/events/event.ts";
import type { PublishedEvent } from "./observation.ts";
import type { Query } from "./simulated-database.ts";

/** A time in which a webhook is, or is not, active. It ends with the next period. */
interface Period {
  readonly isActive: boolean;
  /** The id of the event that began it, and when that was committed. */
  readonly since: string;
  readonly at: number;
}

const RECORD = "SELECT record FROM events WHERE position = ?";

/** When each webhook was active, by the events of the feed. */
export class ActivePeriods {
  readonly #query: Query;
  readonly #periods = new Map<number, Period[]>();

  constructor(query: Query) {
    this.#query = query;
  }

  record({ id, subject, at }: PublishedEvent): void {
    if (subject.type !== "webhook") return;
    const [row] = this.#query(RECORD, parseEventId(id) ?? 0);
    const isActive: boolean = JSON.parse(String(row?.[0])).active;
    const periods = this.#periods.get(subject.id) ?? [];
    this.#periods.set(subject.id, periods);
    if (periods.at(-1)?.isActive !== isActive) periods.push({ isActive, since: id, at });
  }

  /** The period in which an event was committed. Without an event, the present one. */
  find(webhookId: number | undefined, eventId?: string): Period | undefined {
    const periods = this.#periods.get(webhookId ?? 0) ?? [];
    return periods.findLast(({ since }) => eventId === undefined || since < eventId);
  }

  /** Those of these events that are of users and in this period, if the webhook is active in it. */
  filter(
    events: readonly PublishedEvent[],
    webhookId: number | undefined,
    period: Period | undefined,
  ): PublishedEvent[] {
    if (!period?.isActive) return [];
    return events.filter(
      ({ id, subject }) =>
        id > period.since && subject.type === "user" && this.find(webhookId, id) === period,
    );
  }
}
