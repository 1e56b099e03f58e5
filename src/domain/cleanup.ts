import { keyLimits } from "../contract/keys/key.ts";
import { webhookLimits } from "../contract/webhooks/webhook.ts";
import { type Clock, Pause } from "./clock.ts";
import { dayOf } from "./days.ts";
import type { EventStore } from "./events/event-store.ts";
import type { GroupStore } from "./groups/group-store.ts";
import type { DatabaseMonitor } from "./keys/key-ring.ts";
import type { KeyStore } from "./keys/key-store.ts";
import type { DeletedUserStore } from "./users/deleted-user-store.ts";
import type { DeliveryStore } from "./webhooks/delivery-store.ts";

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** How often a cleanup runs. After each step, it pauses `pauseFactor` times as long as the step took. */
interface Schedule {
  readonly intervalMs: number;
  readonly pauseFactor: number;
}

/** For data that is too old: it does not matter when it goes. */
const SLOW: Schedule = { intervalMs: 60_000, pauseFactor: 4 };
/** For data that nobody sees any more, and that may be much: the writes of callers come first. */
export const GENTLE: Schedule = { intervalMs: 1000, pauseFactor: 4 };
/** For data that is too large: it must go as fast as callers can write it. */
export const FAST: Schedule = { intervalMs: 1000, pauseFactor: 1 };

/**
 * Removes some of the data that is not to be kept at this time, in a short transaction. Returns how much: 0 when done, or if
 * another node does it.
 */
type RemoveSome = (now: number) => Promise<number>;

/** How long events are kept, and how many. */
export interface EventLimits {
  readonly days: number;
  /** Undefined for no limit. */
  readonly max: number | undefined;
}

export function removeOldEvents(events: EventStore, { days, max }: EventLimits): RemoveSome {
  return (now) => events.removeOldest({ before: now - days * DAY_MS, ...(max !== undefined && { max }) });
}

/** Removes the oldest events while all events together have more than this number of bytes. */
export function limitEventBytes(events: EventStore, maxBytes: number): RemoveSome {
  return async () => ((await events.bytes()) > maxBytes ? events.removeOldest({ maxBytes }) : 0);
}

/** Counts the bytes of events that are not counted yet. Removes nothing. */
export function countEventBytes(events: EventStore): RemoveSome {
  return () => events.countBytes();
}

/** `days`: how long deleted users are kept. */
export function purgeOldUsers(deletedUsers: DeletedUserStore, days: number): RemoveSome {
  return (now) => deletedUsers.purgeOldest(now - days * DAY_MS);
}

/** Removes the memberships of groups that were removed. */
export function removeLeftMemberships(groups: GroupStore): RemoveSome {
  return () => groups.removeLeftMemberships();
}

/** Removes the daily usage of keys that is too old. */
export function removeOldUsage(keys: KeyStore): RemoveSome {
  return (now) => keys.removeDailyUsage(dayOf(now - keyLimits.usageDays * DAY_MS));
}

/** Removes the counts of attempts of webhooks that are too old. */
export function removeOldAttempts(deliveries: DeliveryStore): RemoveSome {
  return (now) => deliveries.removeAttempts(Math.floor(now / HOUR_MS) - webhookLimits.attemptHours);
}

/** Removes data in the background, in small steps. Any number of nodes can do this at the same time. */
export class Cleanup {
  readonly #tasks: readonly RemoveSome[];
  readonly #clock: Clock;
  readonly #schedule: Schedule;
  readonly #pause: Pause;
  #running: Promise<void> = Promise.resolve();

  constructor(tasks: readonly RemoveSome[], clock: Clock, schedule = SLOW) {
    this.#tasks = tasks;
    this.#clock = clock;
    this.#schedule = schedule;
    this.#pause = new Pause(clock);
  }

  /** Runs by its schedule until `stop`. Failures are retried. */
  start(monitor: DatabaseMonitor): void {
    this.#running = this.#repeat(monitor).catch(() => undefined);
  }

  async stop(): Promise<void> {
    this.#pause.stop();
    await this.#running;
  }

  /** Removes everything that is not to be kept, and returns how much. */
  async run(): Promise<number> {
    const now = this.#clock.now();
    let total = 0;
    for (const removeSome of this.#tasks) {
      while (!this.#pause.isStopped) {
        const start = this.#clock.monotonic();
        const removed = await removeSome(now);
        if (removed === 0) break;
        total += removed;
        await this.#pause.wait((this.#clock.monotonic() - start) * this.#schedule.pauseFactor);
      }
    }
    return total;
  }

  async #repeat(monitor: DatabaseMonitor): Promise<void> {
    while (!this.#pause.isStopped) {
      const start = this.#clock.monotonic();
      try {
        await this.run();
      } catch (error) {
        monitor.failed(error, "write", start);
      }
      // Nodes that start together do not run together.
      await this.#pause.wait(this.#schedule.intervalMs * (0.5 + Math.random()));
    }
  }
}
