import { type StoredEvent, splitType } from "../domain/events/event.ts";
import type { Delivery } from "../domain/webhooks/delivery-store.ts";

/** An event that is not delivered yet. */
export interface QueuedDelivery extends Omit<Delivery, "state"> {
  /** Undefined if the event has to be read again. */
  readonly event: StoredEvent | undefined;
  /** Whether it is stored, or about to be: the position of the webhook can move past it. */
  readonly isStored: boolean;
}

interface Entry {
  /** The subject of the event. */
  readonly key: string;
  delivery: QueuedDelivery;
  /** Behind: an earlier event of the same subject comes first. Resting: until its next attempt. */
  state: "behind" | "resting" | "ready" | "sending";
}

/**
 * The deliveries of one webhook that have to be sent. Hands out one event of a subject at a time, in the order of positions: an
 * event waits while an earlier one of the same subject is undelivered.
 */
export class DeliveryQueue {
  readonly #entries = new Map<number, Entry>();
  /** In the order of positions. */
  readonly #subjects = new Map<string, Entry[]>();
  /** May contain entries that are no longer ready. */
  #ready: Entry[] = [];
  #stored = 0;
  /** When to look for retries that are due: the time of the next one, or earlier. */
  #wakeAt = Number.POSITIVE_INFINITY;

  /** Deliveries that are only in memory. */
  get fresh(): number {
    return this.#entries.size - this.#stored;
  }

  /** Deliveries that are stored. */
  get stored(): number {
    return this.#stored;
  }

  has(position: number): boolean {
    return this.#entries.has(position);
  }

  /** Whether the delivery is only in memory. */
  hasFresh(position: number): boolean {
    return this.#entries.get(position)?.delivery.isStored === false;
  }

  /** Adds a stored delivery. If the queue has it already, it becomes due as early as the stored one is. */
  addStored(delivery: Delivery, now: number): void {
    const stored: QueuedDelivery = { ...withoutState(delivery), event: undefined, isStored: true };
    const entry = this.#entries.get(delivery.position);
    if (!entry) this.add(stored, now);
    else if (entry.state === "resting" && (delivery.nextAttemptAt ?? 0) <= now) this.postpone(stored, now);
    else if (entry.state === "behind" && entry.delivery.isStored) entry.delivery = stored;
  }

  /** Does nothing if the queue has the event already. */
  add(delivery: QueuedDelivery, now: number): void {
    if (this.#entries.has(delivery.position)) return;
    const key = subjectKey(delivery);
    const entry: Entry = { key, delivery, state: "behind" };
    this.#entries.set(delivery.position, entry);
    if (delivery.isStored) this.#stored++;
    const entries = this.#subjects.get(key);
    if (!entries) {
      this.#subjects.set(key, [entry]);
      this.#promote([entry], now);
      return;
    }
    let index = entries.length;
    while (index > 0 && (entries[index - 1]?.delivery.position ?? 0) > delivery.position) index--;
    const [first] = entries;
    if (index === 0 && first && first.state !== "sending") first.state = "behind";
    entries.splice(index, 0, entry);
    this.#promote(entries, now);
  }

  /** Whether an earlier event of the same subject waits for its retry: this one has to be stored. */
  isBehindRetry(position: number): boolean {
    const entry = this.#entries.get(position);
    const first = entry && this.#subjects.get(entry.key)?.[0];
    return entry !== undefined && first !== entry && first?.delivery.isStored === true;
  }

  /** Makes the deliveries ready whose time has come. */
  wake(now: number): void {
    if (this.#wakeAt > now) return;
    this.#wakeAt = Number.POSITIVE_INFINITY;
    for (const entry of this.#entries.values()) {
      if (entry.state === "resting") this.#rest(entry, now);
    }
  }

  /** When the next retry is due, or earlier; undefined if none is planned. */
  nextRetryAt(): number | undefined {
    return Number.isFinite(this.#wakeAt) ? this.#wakeAt : undefined;
  }

  get hasReady(): boolean {
    while (this.#ready[0] && this.#ready[0].state !== "ready") this.#ready.shift();
    return this.#ready.length > 0;
  }

  /** The next delivery to send; undefined if none is ready. */
  take(): QueuedDelivery | undefined {
    for (let entry = this.#ready.shift(); entry; entry = this.#ready.shift()) {
      if (entry.state !== "ready") continue;
      entry.state = "sending";
      return entry.delivery;
    }
    return undefined;
  }

  /** Removes a delivery that was sent, or that nobody will send again. */
  finish(position: number, now: number): void {
    const entry = this.#entries.get(position);
    if (!entry) return;
    this.#entries.delete(position);
    if (entry.delivery.isStored) this.#stored--;
    const { key } = entry;
    const entries = this.#subjects.get(key) ?? [];
    entries.splice(entries.indexOf(entry), 1);
    if (entries.length === 0) this.#subjects.delete(key);
    else this.#promote(entries, now);
  }

  /** Replaces a delivery that is not being sent any more, such as one that rests until its retry. */
  postpone(delivery: QueuedDelivery, now: number): void {
    const entry = this.#entries.get(delivery.position);
    if (!entry) return;
    if (delivery.isStored && !entry.delivery.isStored) this.#stored++;
    entry.delivery = delivery;
    if (entry.state === "sending" || entry.state === "resting") entry.state = "behind";
    const entries = this.#subjects.get(entry.key) ?? [];
    this.#promote(entries, now);
  }

  /** The deliveries of the same subject that come after this one. */
  listBehind({ type, subjectId, position }: Delivery | QueuedDelivery): QueuedDelivery[] {
    const entries = this.#subjects.get(subjectKey({ type, subjectId })) ?? [];
    return entries.filter((entry) => entry.delivery.position > position).map(({ delivery }) => delivery);
  }

  /** A purge has erased data of events: those of this user, or of any, are read again before they are sent. */
  forgetEvents(userId?: number): void {
    const entries =
      userId === undefined ? this.#entries.values() : (this.#subjects.get(`user:${userId}`) ?? []);
    for (const entry of entries) entry.delivery = { ...entry.delivery, event: undefined };
  }

  /** Makes every retry due now. */
  hurry(now: number): void {
    for (const entry of this.#entries.values()) {
      if (entry.state !== "resting") continue;
      entry.delivery = { ...entry.delivery, nextAttemptAt: now };
      this.#rest(entry, now);
    }
  }

  #promote(entries: readonly Entry[], now: number): void {
    const [first] = entries;
    if (first?.state !== "behind" || entries.some(({ state }) => state === "sending")) return;
    this.#rest(first, now);
  }

  /** Until its next attempt, which may be now. */
  #rest(entry: Entry, now: number): void {
    const at = entry.delivery.nextAttemptAt ?? 0;
    entry.state = at > now ? "resting" : "ready";
    if (entry.state === "ready") this.#ready.push(entry);
    else this.#wakeAt = Math.min(this.#wakeAt, at);
  }
}

function subjectKey({ type, subjectId }: Pick<Delivery, "type" | "subjectId">): string {
  return `${splitType(type)[0]}:${subjectId}`;
}

/** A delivery of an event that has just been read. */
export function toFresh(event: StoredEvent): QueuedDelivery {
  const { position, type, subjectId } = event;
  return {
    position,
    type,
    subjectId,
    attempts: [],
    failures: 0,
    nextAttemptAt: null,
    event,
    isStored: false,
  };
}

export function toStored(delivery: QueuedDelivery, state: Delivery["state"]): Delivery {
  const { position, type, subjectId, attempts, failures, nextAttemptAt } = delivery;
  return { position, type, subjectId, state, attempts, failures, nextAttemptAt };
}

function withoutState({ state: _, ...delivery }: Delivery): Omit<Delivery, "state"> {
  return delivery;
}
