import { parseEventId } from "../../../src/domain/events/event.ts";
import type { Invariant } from "../invariant.ts";
import type { Observation, PublishedEvent } from "../observation.ts";
import type { SimulatedWebhook } from "../receivers.ts";
import { BACKLOG_ENDS } from "../small-limits.ts";
import type { World } from "../world.ts";

/** ?1: webhook; ?2: position; ?3: now. */
const PLANNED = `
  SELECT 1 FROM webhook_deliveries d JOIN webhook_deliveries first
  ON first.webhook_id = d.webhook_id AND first.type LIKE 'user.%' AND first.subject_id = d.subject_id
  WHERE d.webhook_id = ?1 AND d.position = ?2 AND d.state = 'waiting'
  AND first.state = 'waiting' AND first.next_attempt_at > ?3 AND first.position <= d.position`;

/** How far a webhook is, and how many of its deliveries are planned. ?1: webhook. */
const BACKLOG = `
  SELECT position, (SELECT count(*) FROM webhook_deliveries d WHERE d.webhook_id = w.id AND d.state = 'waiting')
  FROM webhooks w WHERE id = ?1`;

export class DeliveredInOrder implements Invariant {
  readonly name = "Every event of an active webhook is delivered, and those of one user in their order";
  readonly #world: World;
  readonly #accepted = new Map<SimulatedWebhook, Set<string>>();

  constructor(world: World) {
    this.#world = world;
  }

  observe(observation: Observation): string | undefined {
    if (observation.kind !== "received") return undefined;
    const { webhook, event, status } = observation;
    const accepted = this.#accepted.get(webhook) ?? new Set();
    this.#accepted.set(webhook, accepted);
    // A receiver that answers 410 wants no further attempt.
    const isSettled = status === 204 || status === 410;
    if (!isSettled || accepted.has(event.id)) return undefined;
    accepted.add(event.id);
    if (status === 410) return undefined;
    const { subject } = event;
    const earlier = this.#listDue(webhook, event.id).find(
      ({ id, subject: other }) =>
        id < event.id && other.type === subject.type && other.id === subject.id && !accepted.has(id),
    );
    return (
      earlier &&
      `receiver ${webhook.number} accepted ${event.id} before ${earlier.id} of the same ${subject.type}`
    );
  }

  checkEnd(): string | undefined {
    for (const webhook of this.#world.receivers.webhooks) {
      if (webhook.hasAnswered410) continue;
      const accepted = this.#accepted.get(webhook);
      // What was not delivered before the webhook was deactivated need not be.
      const missing = this.#listDue(webhook).find(
        ({ id }) => !accepted?.has(id) && !this.#isPlanned(webhook, id),
      );
      if (missing) return `receiver ${webhook.number} never got ${missing.id} ${missing.type}`;
    }
    return undefined;
  }

  /**
   * A delivery that failed twice is sent again after minutes, and later ones of the same user wait for it. If there are many of
   * these, later events of all users wait.
   */
  #isPlanned({ id }: SimulatedWebhook, eventId: string): boolean {
    const position = parseEventId(eventId);
    if (id === undefined || position === undefined) return false;
    const { database, machine, hasSmallLimits } = this.#world;
    if (database.query(PLANNED, id, position, machine.now).length > 0) return true;
    const [webhook] = database.query(BACKLOG, id);
    return (
      position > Number(webhook?.[0]) &&
      Number(webhook?.[1]) >= BACKLOG_ENDS[hasSmallLimits ? "small" : "usual"]
    );
  }

  /** The events that are to be delivered, of the time in which this event was committed. Without an event, of the present. */
  #listDue({ id }: SimulatedWebhook, eventId?: string): PublishedEvent[] {
    const { activePeriods, history } = this.#world;
    return activePeriods.filter(history.events, id, activePeriods.find(id, eventId));
  }
}
