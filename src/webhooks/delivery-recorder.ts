import type {
  Delivery,
  DeliveryReport,
  DeliveryResponse,
  HourlyAttempts,
} from "../domain/webhooks/delivery-store.ts";
import type { StoredWebhook } from "../domain/webhooks/webhook-store.ts";
import { LEASE_MS } from "./report-writer.ts";
import type { WorkerParts } from "./worker-parts.ts";

/** A node stops sending this long before its lease ends. */
const LEASE_MARGIN_MS = 1000;
/** How often the lease is renewed without results. */
const RENEW_MS = 2500;
/** With this many results, they are recorded at once; with the most, nothing is sent until they are. */
const RESULTS = { many: 500, most: 1000 } as const;
/** The same for the characters of stored responses. */
const RESPONSE_CHARACTERS = { many: 262_144, most: 1_048_576 } as const;
const HOUR_MS = 3_600_000;
/** Finished deliveries that are kept, and how many are recorded between two cleanups. */
const KEPT = { ms: 7 * 86_400_000, deliveries: 10_000, perCleanup: 1000 } as const;

/** How far a webhook is. */
type Progress = Pick<DeliveryReport, "position" | "failingSince" | "pausedUntil" | "replay">;

/** Keeps the results of one webhook until they are recorded, and renews the lease with them. */
export class DeliveryRecorder {
  readonly #webhookId: number;
  /** How far the database knows that the webhook is. */
  #knownPosition: number;
  readonly #parts: WorkerParts;
  #results = new Map<number, Delivery>();
  /** The responses to store with their results, by position. */
  #responses = new Map<number, DeliveryResponse>();
  #responseCharacters = 0;
  /** Attempts since the last report, by the hour in which they began. */
  #attempts = new Map<number, HourlyAttempts>();
  #running: Promise<void> | undefined;
  #recordedAt: number;
  #leaseEndsAt: number;
  #sinceCleanup = 0;

  /** `leasedAt` is the monotonic time before the lease was taken. */
  constructor({ id, position }: StoredWebhook, leasedAt: number, parts: WorkerParts) {
    this.#webhookId = id;
    this.#knownPosition = position;
    this.#parts = parts;
    this.#recordedAt = parts.clock.monotonic();
    this.#leaseEndsAt = leasedAt + LEASE_MS - LEASE_MARGIN_MS;
  }

  /** Whether this node may send. */
  get hasLease(): boolean {
    return this.#parts.clock.monotonic() < this.#leaseEndsAt;
  }

  /** Whether results wait for the database. */
  get isBusy(): boolean {
    return this.#results.size > 0 || this.#running !== undefined;
  }

  get isFull(): boolean {
    return this.#results.size >= RESULTS.most || this.#responseCharacters >= RESPONSE_CHARACTERS.most;
  }

  /** Whether there are so many results that they should be recorded now. */
  get hasMany(): boolean {
    const hasMany =
      this.#results.size >= RESULTS.many || this.#responseCharacters >= RESPONSE_CHARACTERS.many;
    return hasMany && !this.#running;
  }

  /** Whether there are results to record, or the lease has to be renewed. */
  get isDue(): boolean {
    const isLate = this.#parts.clock.monotonic() - this.#recordedAt > RENEW_MS;
    return !this.#running && (this.#results.size > 0 || isLate);
  }

  has(position: number): boolean {
    return this.#results.has(position);
  }

  add(result: Delivery): void {
    this.#results.set(result.position, result);
  }

  /** Stores the response with the result of this delivery. */
  addResponse(position: number, response: DeliveryResponse): void {
    this.#responses.set(position, response);
    this.#responseCharacters += response.body.length;
  }

  /** Counts an attempt that began at this time. */
  count(time: number, isAccepted: boolean): void {
    this.#addAttempts({
      hour: Math.floor(time / HOUR_MS),
      accepted: isAccepted ? 1 : 0,
      failed: isAccepted ? 0 : 1,
    });
  }

  #addAttempts({ hour, accepted, failed }: HourlyAttempts): void {
    const known = this.#attempts.get(hour);
    this.#attempts.set(hour, {
      hour,
      accepted: (known?.accepted ?? 0) + accepted,
      failed: (known?.failed ?? 0) + failed,
    });
  }

  /** Forgets which deliveries have to be sent again. */
  dropWaiting(): void {
    for (const [position, { state }] of this.#results)
      if (state === "waiting") this.#results.delete(position);
  }

  /** Runs work while no other work runs. */
  async exclusively(work: () => Promise<void>): Promise<void> {
    while (this.#running) await this.#running.catch(() => undefined);
    this.#running = work().finally(() => {
      this.#running = undefined;
    });
    await this.#running;
  }

  /**
   * Records everything so far, and renews the lease. Lost means that another node may have the lease, or that the owner has activated
   * the webhook again. Never fails.
   */
  async record(progress: Progress): Promise<"recorded" | "failed" | "lost"> {
    const { clock, reports, monitor } = this.#parts;
    const results = this.#results;
    const responses = this.#responses;
    const attempts = [...this.#attempts.values()];
    const start = clock.monotonic();
    this.#recordedAt = start;
    this.#results = new Map();
    this.#responses = new Map();
    this.#responseCharacters = 0;
    this.#attempts = new Map();
    const report = {
      webhookId: this.#webhookId,
      deliveries: [...results.values()].map((result) => {
        const response = responses.get(result.position);
        return response ? { ...result, response } : result;
      }),
      attempts,
      knownPosition: this.#knownPosition,
      ...progress,
    };
    try {
      if (!(await reports.record(report))) return "lost";
      this.#leaseEndsAt = start + LEASE_MS - LEASE_MARGIN_MS;
      this.#knownPosition = Math.max(this.#knownPosition, progress.position);
      await this.#cleanUp(results.size);
      return "recorded";
    } catch (error) {
      monitor.failed(error, "write", start);
      // Newer results of the same deliveries stay.
      this.#results = new Map([...results, ...this.#results]);
      const later = this.#responses;
      this.#responses = new Map();
      this.#responseCharacters = 0;
      for (const [position, response] of [...responses, ...later]) this.addResponse(position, response);
      for (const hour of attempts) this.#addAttempts(hour);
      return this.hasLease ? "failed" : "lost";
    }
  }

  async #cleanUp(recorded: number): Promise<void> {
    this.#sinceCleanup += recorded;
    if (this.#sinceCleanup < KEPT.perCleanup) return;
    this.#sinceCleanup = 0;
    const since = this.#parts.clock.now() - KEPT.ms;
    await this.#parts.deliveries.removeOldest(this.#webhookId, { since, max: KEPT.deliveries });
  }
}
