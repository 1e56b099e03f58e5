import { webhookLimits } from "../contract/webhooks/webhook.ts";
import type { Timer } from "../domain/clock.ts";
import { eventTime } from "../domain/events/event.ts";
import { loopShare } from "../domain/scheduling/loop-share.ts";
import type { WebhookWork } from "../domain/webhooks/delivery-store.ts";
import type { StoredWebhook } from "../domain/webhooks/webhook-store.ts";
import { DeliveryTurns } from "./delivery-turns.ts";
import { EventMatchers } from "./event-matcher.ts";
import { FeedReader } from "./feed-reader.ts";
import { LoopBudget } from "./loop-budget.ts";
import { LEASE_MS, ReportWriter } from "./report-writer.ts";
import { WebhookWorker } from "./webhook-worker.ts";
import type { DeliveryParts, WorkerParts } from "./worker-parts.ts";

/** How often a node looks for changed webhooks, due retries and leases that have ended. */
const POLL_MS = 1000;
/** How often at most, if there are new events. */
const SHORTEST_POLL_MS = 100;
/** How often workers look for retries that are due, and how often results are recorded. */
const TICK_MS = 50;
const RECORD_MS = 250;

/** Delivers events to the webhooks whose lease this node has. Without webhooks, it runs one short query a second. */
export class DeliveryLoop {
  readonly #parts: WorkerParts;
  /** The id of this process, for leases. */
  readonly #node = crypto.randomUUID();
  readonly #workers = new Map<number, WebhookWorker>();
  readonly #running = new Set<Promise<void>>();
  /** The active webhooks at the last poll, and what was to do. */
  #webhooks: readonly StoredWebhook[] = [];
  #work = new Map<number, WebhookWork>();
  readonly #stopped = new AbortController();
  #loop: Promise<void> = Promise.resolve();
  #reading: Promise<void> = Promise.resolve();
  /** While there are workers. */
  #timers: readonly Timer[] = [];

  constructor(parts: DeliveryParts) {
    const { clock, sender, requests } = parts;
    const budget = new LoopBudget(clock, { deliveriesMs: () => sender.busyMs, cpuMs, requests });
    this.#parts = {
      ...parts,
      reader: new FeedReader(parts),
      matchers: new EventMatchers(),
      turns: new DeliveryTurns(clock, budget),
      reports: new ReportWriter(parts.deliveries, this.#node),
    };
  }

  /** The age of the oldest event that a worker has taken and not sent; 0 if there is none. */
  get lagSeconds(): number {
    const now = this.#parts.clock.now();
    const times = [...this.#workers.values()].map(({ oldestOpen }) =>
      oldestOpen === undefined ? now : eventTime(oldestOpen),
    );
    return Math.max(0, now - Math.min(now, ...times)) / 1000;
  }

  start(): void {
    this.#loop = this.#run();
    this.#reading = this.#parts.reader.run();
  }

  /** Lets running attempts finish for this long, records their results, and gives the leases back. */
  async stop(graceMs: number): Promise<void> {
    this.#stopped.abort();
    this.#parts.reader.stop();
    await this.#loop;
    await this.#reading;
    await Promise.all([...this.#workers.values()].map((worker) => worker.stop(graceMs)));
    await Promise.all(this.#running);
    this.#parts.sender.close();
  }

  async #run(): Promise<void> {
    const { clock, monitor } = this.#parts;
    while (!this.#stopped.signal.aborted) {
      const start = clock.monotonic();
      try {
        await this.#poll();
      } catch (error) {
        monitor.failed(error, "read", start);
      }
      await clock.sleep(SHORTEST_POLL_MS, this.#stopped.signal);
      await this.#waitForWork(clock.monotonic() + POLL_MS - SHORTEST_POLL_MS);
    }
  }

  async #poll(): Promise<void> {
    const { webhooks, deliveries, reader } = this.#parts;
    const found = await webhooks.list(0, webhookLimits.webhooks);
    this.#webhooks = found.filter(({ active }) => active);
    reader.follow({ isNeeded: this.#webhooks.length > 0 });
    if (this.#webhooks.length === 0 && this.#workers.size === 0) return;
    const work = await deliveries.listWork();
    this.#work = new Map(work.map((each) => [each.webhookId, each]));
    for (const [id, worker] of this.#workers) {
      const webhook = this.#webhooks.find((each) => each.id === id);
      if (webhook) worker.update(webhook, this.#work.get(id));
      else worker.deactivate();
    }
    await this.#lease(this.#webhooks.filter((webhook) => this.#hasWork(webhook)));
  }

  /** Whether there is something to do that no node does. */
  #hasWork({ id, position }: StoredWebhook): boolean {
    const { clock, feed } = this.#parts;
    const work = this.#work.get(id);
    const now = clock.now();
    if (this.#workers.has(id) || (work && (work.node !== null || work.pausedUntil > now))) return false;
    return position < feed.last || Boolean(work?.replay) || (work?.nextAttemptAt ?? now + 1) <= now;
  }

  async #lease(candidates: readonly StoredWebhook[]): Promise<void> {
    if (candidates.length === 0 || this.#stopped.signal.aborted) return;
    const { clock, deliveries, webhooks } = this.#parts;
    const leasedAt = clock.monotonic();
    const ids = candidates.map(({ id }) => id);
    const leased = await deliveries.lease(ids, this.#node, LEASE_MS);
    if (leased.length === 0) return;
    // Another node may have moved the positions until now.
    const current = new Map((await webhooks.list(0, webhookLimits.webhooks)).map((each) => [each.id, each]));
    for (const id of leased) {
      if (loopShare.isSpent) await loopShare.nextTurn();
      const webhook = current.get(id);
      if (webhook?.active) this.#startWorker(webhook, leasedAt);
      else void this.#parts.reports.release(id);
    }
  }

  #startWorker(webhook: StoredWebhook, leasedAt: number): void {
    const worker = new WebhookWorker(webhook, leasedAt, this.#parts);
    this.#workers.set(webhook.id, worker);
    this.#parts.reader.add(worker);
    this.#startTimers();
    worker.update(webhook, this.#work.get(webhook.id));
    const running = worker.run().finally(() => {
      this.#workers.delete(webhook.id);
      this.#parts.reader.remove(worker);
      this.#running.delete(running);
      if (this.#workers.size === 0) this.#stopTimers();
    });
    this.#running.add(running);
  }

  #startTimers(): void {
    if (this.#timers.length > 0) return;
    const { clock, reader } = this.#parts;
    this.#timers = [
      clock.every(TICK_MS, () => {
        for (const worker of this.#workers.values()) worker.tick();
        reader.wake();
      }),
      clock.every(RECORD_MS, () => {
        for (const worker of this.#workers.values()) worker.record();
      }),
    ];
  }

  #stopTimers(): void {
    for (const timer of this.#timers) timer.clear();
    this.#timers = [];
  }

  /** Returns at the deadline, or when an event comes that concerns nobody yet. */
  async #waitForWork(deadline: number): Promise<void> {
    const { clock, reader } = this.#parts;
    while (!this.#stopped.signal.aborted && clock.monotonic() < deadline) {
      if (this.#webhooks.some((webhook) => this.#hasWork(webhook))) return;
      await reader.waitForEvents(Math.max(1, deadline - clock.monotonic()));
    }
  }
}

/** CPU time of this process, in all threads. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
