import type { PostgresDatabase } from "../../config/database-url.ts";
import { type Clock, systemClock } from "../../domain/clock.ts";
import type { EngineOf } from "../sql/engine.ts";
import type { EventTables, Publisher } from "./event-tables.ts";
import { MAX_PUBLISHED } from "./postgres-events.ts";

interface PublisherOptions {
  /** How long a write may take. */
  readonly waitMs: number;
  readonly database: Pick<PostgresDatabase, "readWrite">;
  readonly clock?: Clock;
}

/** A round looks at all keys this often, or less often than writes are acknowledged. */
const ALL_KEYS_MS = 10_000;

/**
 * Makes committed events part of the feed. A round that finds none reads one row. Most rounds skip keys that were given long ago:
 * while a backup keeps the rows of published events, PostgreSQL would have to step over all of them.
 */
export class EventPublisher implements Publisher {
  readonly #events: EngineOf<EventTables>;
  readonly #clock: Clock;
  readonly #allKeysMs: number;
  /** A standby cannot publish: its readers see what it has. */
  readonly #mayUseStandby: boolean;
  #running: Promise<void> = Promise.resolve();
  #isRunning = false;
  #next: Promise<void> | undefined;
  /**
   * The last key at the latest round that looked at all keys, and at the one before. The write of an event up to `older` was
   * acknowledged before the latest of these rounds, if at all: its caller does not wait that long.
   */
  #keys = { older: 0, newer: 0 };
  #allKeysAt = Number.NEGATIVE_INFINITY;

  constructor(events: EngineOf<EventTables>, { waitMs, database, clock = systemClock }: PublisherOptions) {
    this.#events = events;
    this.#clock = clock;
    this.#mayUseStandby = !database.readWrite;
    this.#allKeysMs = Math.max(ALL_KEYS_MS, 2 * waitMs);
  }

  publishAll(): Promise<void> {
    // A running round may have missed the events that were committed since it began. All later callers share the next one.
    this.#next ??= this.#running.then(async () => {
      this.#next = undefined;
      await this.#start(true);
    });
    return this.#next;
  }

  async publishSome(): Promise<number> {
    const last = this.#isRunning ? undefined : await this.#start(false);
    return last ?? this.#events.read("last", []);
  }

  #start(wait: boolean): Promise<number | undefined> {
    const round = this.#round(wait);
    this.#isRunning = true;
    this.#running = round
      .catch(() => undefined)
      .then(() => {
        this.#isRunning = false;
      });
    return round;
  }

  /** Returns the last position, if it has published nothing. */
  async #round(wait: boolean): Promise<number | undefined> {
    const now = this.#clock.monotonic();
    const isDue = now - this.#allKeysAt >= this.#allKeysMs;
    const afterKey = isDue ? 0 : this.#keys.older;
    const { found, last, lastKey, isReadOnly } = await this.#events.read("findUnpublished", [afterKey]);
    const canPublish = found && !(isReadOnly && this.#mayUseStandby);
    if (canPublish) await this.#publish(afterKey, lastKey, wait);
    const known = canPublish ? undefined : last;
    // A server that lacks the last transactions of another one gives their keys again.
    const isBack = lastKey < this.#keys.newer;
    if (!isDue && !isBack) return known;
    this.#keys = { older: isBack ? 0 : this.#keys.newer, newer: lastKey };
    this.#allKeysAt = isBack ? Number.NEGATIVE_INFINITY : now;
    return isBack && !isDue ? this.#round(wait) : known;
  }

  /** The events with the lowest keys come first. Ends when those up to the last key are published: others may follow all the time. */
  async #publish(afterKey: number, lastKey: number, wait: boolean): Promise<void> {
    for (let left = lastKey - afterKey; left > 0; left -= MAX_PUBLISHED) {
      const hasMore = await this.#events.writeRepeatable("publish", [afterKey, wait]);
      if (!hasMore) return;
    }
  }
}
