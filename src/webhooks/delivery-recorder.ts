import type { Delivery, DeliveryReport } from "../domain/webhooks/delivery-store.ts";
import { LEASE_MS } from "./report-writer.ts";
import type { WorkerParts } from "./worker-parts.ts";

/** A node stops sending this long before its lease ends. */
const LEASE_MARGIN_MS = 1000;
/** How often the lease is renewed without results. */
const RENEW_MS = 2500;
/** Results that are recorded at once, and results in memory. */
const MAX_RESULTS = { together: 500, waiting: 1000 } as const;
/** Finished deliveries that are kept, and how many are recorded between two cleanups. */
const KEPT = { ms: 7 * 86_400_000, deliveries: 10_000, perCleanup: 1000 } as const;

type Progress = Pick<DeliveryReport, "position" | "failingSince" | "pausedUntil" | "replay">;

/** Keeps the results of one webhook until they are recorded, and renews the lease with them. */
export class DeliveryRecorder {
  readonly #webhookId: number;
  readonly #parts: WorkerParts;
  readonly #progress: () => Progress;
  readonly #onRecorded: (progress: Progress) => void;
  readonly #onLost: () => void;
  #results = new Map<number, Delivery>();
  #running: Promise<void> | undefined;
  #recordedAt: number;
  #leaseEndsAt: number;
  #sinceCleanup = 0;

  /** `leasedAt` is the monotonic time before the lease was taken. */
  constructor(
    webhookId: number,
    leasedAt: number,
    parts: WorkerParts,
    hooks: { progress: () => Progress; onRecorded: (progress: Progress) => void; onLost: () => void },
  ) {
    this.#webhookId = webhookId;
    this.#parts = parts;
    this.#recordedAt = parts.clock.monotonic();
    this.#progress = hooks.progress;
    this.#onRecorded = hooks.onRecorded;
    this.#onLost = hooks.onLost;
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
    return this.#results.size >= MAX_RESULTS.waiting;
  }

  has(position: number): boolean {
    return this.#results.has(position);
  }

  add(result: Delivery): void {
    this.#results.set(result.position, result);
    if (this.#results.size >= MAX_RESULTS.together && !this.#running) void this.record();
  }

  /** Records if there are results, or if the lease has to be renewed. */
  recordIfNeeded(): void {
    const isLate = this.#parts.clock.monotonic() - this.#recordedAt > RENEW_MS;
    if (!this.#running && (this.#results.size > 0 || isLate)) void this.record();
  }

  /** Records everything so far. Never fails. */
  record(): Promise<void> {
    return this.exclusively(() => this.#record());
  }

  /** Runs work while nothing is recorded. */
  async exclusively(work: () => Promise<void>): Promise<void> {
    while (this.#running) await this.#running.catch(() => undefined);
    this.#running = work().finally(() => {
      this.#running = undefined;
    });
    await this.#running;
  }

  async #record(): Promise<void> {
    const { reports, monitor } = this.#parts;
    const results = this.#results;
    const start = this.#parts.clock.monotonic();
    this.#recordedAt = start;
    this.#results = new Map();
    const progress = this.#progress();
    const report = { webhookId: this.#webhookId, deliveries: [...results.values()], ...progress };
    try {
      if (!(await reports.record(report))) return this.#onLost();
      this.#leaseEndsAt = start + LEASE_MS - LEASE_MARGIN_MS;
      this.#onRecorded(progress);
      await this.#cleanUp(results.size);
    } catch (error) {
      monitor.failed(error, "write", start);
      // Newer results of the same deliveries stay.
      this.#results = new Map([...results, ...this.#results]);
      if (!this.hasLease) this.#onLost();
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
