import { parseEventId } from "../../src/domain/events/event.ts";
import type { CommittedEvent, Observation } from "./observation.ts";
import type { World } from "./world.ts";

/** A time in which a webhook is, or is not, active. It ends with the next period. */
export interface Period {
  readonly isActive: boolean;
  /** The id of the event that began it, and when that was committed. */
  readonly since: string;
  readonly at: number;
}

const RECORD = "SELECT record FROM events WHERE position = ?";

/** When each webhook was active, by the events of the feed. */
export class ActivePeriods {
  readonly #world: World;
  readonly #periods = new Map<number, Period[]>();

  constructor(world: World) {
    this.#world = world;
  }

  observe(observation: Observation): void {
    if (observation.kind !== "committed" || observation.event.subject.type !== "webhook") return;
    const { id, subject, at } = observation.event;
    const [row] = this.#world.database.query(RECORD, parseEventId(id) ?? 0);
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

  /** The events of users in this period. */
  list(webhookId: number | undefined, period: Period | undefined): CommittedEvent[] {
    if (!period?.isActive) return [];
    const { events } = this.#world.history;
    return events.filter(
      ({ id, subject }) =>
        id > period.since && subject.type === "user" && this.find(webhookId, id) === period,
    );
  }
}
