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
  }

  /** Does nothing if the queue has the event already. */
  add(delivery: QueuedDelivery, now: number): void {
    if (this.#entries.has(delivery.position)) return;
    const entry: Entry = { delivery, state: "behind" };
    this.#entries.set(delivery.position, entry);
    if (delivery.isStored) this.#stored++;
    const key = subjectKey(delivery);
    const entries = this.#subjects.get(key) ?? [];
    this.#subjects.set(key, entries);
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
    const first = entry && this.#subjects.get(subjectKey(entry.delivery))?.[0];
    return entry !== undefined && first !== entry && first?.delivery.isStored === true;
  }

  /** Makes the deliveries ready whose time has come. */
  wake(now: number): void {
    for (const entry of this.#entries.values()) {
      if (entry.state !== "resting" || (entry.delivery.nextAttemptAt ?? 0) > now) continue;
      entry.state = "ready";
      this.#ready.push(entry);
    }
  }

  /** When the next retry is due; undefined if none is planned. */
  nextRetryAt(): number | undefined {
    let earliest: number | undefined;
    for (const { state, delivery } of this.#entries.values()) {
      const at = delivery.nextAttemptAt;
      if (state === "resting" && at !== null && !(earliest !== undefined && earliest <= at)) earliest = at;
    }
    return earliest;
  }

  get hasReady(): boolean {
    this.#ready = this.#ready.filter(({ state }) => state === "ready");
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
    const key = subjectKey(entry.delivery);
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
    const entries = this.#subjects.get(subjectKey(delivery)) ?? [];
    this.#promote(entries, now);
  }

  /** The deliveries of the same subject that come after this one. */
  listBehind({ type, subjectId, position }: Delivery | QueuedDelivery): QueuedDelivery[] {
    const entries = this.#subjects.get(subjectKey({ type, subjectId })) ?? [];
    return entries.filter((entry) => entry.delivery.position > position).map(({ delivery }) => delivery);
  }

  /** Makes every retry due now. */
  hurry(now: number): void {
    for (const entry of this.#entries.values()) {
      if (entry.state !== "resting") continue;
      entry.delivery = { ...entry.delivery, nextAttemptAt: now };
    }
    this.wake(now);
  }

  #promote(entries: readonly Entry[], now: number): void {
    const [first] = entries;
    if (first?.state !== "behind" || entries.some(({ state }) => state === "sending")) return;
    const isResting = (first.delivery.nextAttemptAt ?? 0) > now;
    first.state = isResting ? "resting" : "ready";
    if (!isResting) this.#ready.push(first);
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
