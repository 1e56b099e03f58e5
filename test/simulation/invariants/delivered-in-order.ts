import type { Invariant } from "../invariant.ts";
import type { CommittedEvent, Observation } from "../observation.ts";
import type { SimulatedWebhook } from "../receivers.ts";
import type { World } from "../world.ts";

export class DeliveredInOrder implements Invariant {
  readonly name = "Every event of an active webhook is delivered, and those of one user in their order";
  readonly #world: World;
  readonly #accepted = new Map<SimulatedWebhook, Set<string>>();

  constructor(world: World) {
    this.#world = world;
  }

  observe(observation: Observation): string | undefined {
    if (observation.kind !== "received" || observation.status !== 204) return undefined;
    const { webhook, event } = observation;
    const accepted = this.#accepted.get(webhook) ?? new Set();
    this.#accepted.set(webhook, accepted);
    if (accepted.has(event.id)) return undefined;
    accepted.add(event.id);
    const { subject } = event;
    const earlier = this.#listDue(webhook).find(
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
      if (webhook.hasLeft) continue;
      const accepted = this.#accepted.get(webhook);
      const missing = this.#listDue(webhook).find(({ id }) => !accepted?.has(id));
      if (missing) return `receiver ${webhook.number} never got ${missing.id} ${missing.type}`;
    }
    return undefined;
  }

  /** The events since the webhook was created. */
  #listDue({ id }: SimulatedWebhook): CommittedEvent[] {
    const { events } = this.#world.history;
    const created = events.find(({ type, subject }) => type === "webhook.created" && subject.id === id);
    return created ? events.filter((event) => event.id > created.id && event.subject.type === "user") : [];
  }
}
