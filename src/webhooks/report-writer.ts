import type { DeliveryReport, DeliveryStore } from "../domain/webhooks/delivery-store.ts";

/** The lease of a webhook. A killed node's lease passes on after at most this long. */
export const LEASE_MS = 6000;
/** Deliveries that are recorded in one transaction, unless one webhook reports more. */
const MAX_DELIVERIES = 1000;

interface WaitingReport extends PromiseWithResolvers<boolean> {
  readonly report: DeliveryReport;
}

/**
 * Records what happened to the deliveries of all webhooks of this node: what comes in the same turn of the event loop, and while
 * the database is busy, in one transaction.
 */
export class ReportWriter {
  readonly #deliveries: DeliveryStore;
  readonly #node: string;
  #reports: WaitingReport[] = [];
  #ended: { readonly webhookId: number; readonly resolve: () => void }[] = [];
  #isRunning = false;

  constructor(deliveries: DeliveryStore, node: string) {
    this.#deliveries = deliveries;
    this.#node = node;
  }

  /** Renews the lease. Returns false, and records nothing, if the node no longer has the lease. */
  record(report: DeliveryReport): Promise<boolean> {
    const waiting = { report, ...Promise.withResolvers<boolean>() };
    this.#reports.push(waiting);
    void this.#run();
    return waiting.promise;
  }

  /** Gives the lease back. Never fails: a lease ends anyway. */
  release(webhookId: number): Promise<void> {
    return new Promise((resolve) => {
      this.#ended.push({ webhookId, resolve });
      void this.#run();
    });
  }

  async #run(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    await new Promise(setImmediate);
    while (this.#reports.length > 0 || this.#ended.length > 0) {
      await this.#write(this.#takeReports());
      await this.#releaseAll(this.#ended.splice(0));
    }
    this.#isRunning = false;
  }

  #takeReports(): WaitingReport[] {
    let deliveries = 0;
    const end = this.#reports.findIndex(({ report }, index) => {
      deliveries += report.deliveries.length;
      return index > 0 && deliveries > MAX_DELIVERIES;
    });
    return this.#reports.splice(0, end < 0 ? this.#reports.length : end);
  }

  async #write(waiting: readonly WaitingReport[]): Promise<void> {
    if (waiting.length === 0) return;
    try {
      const reports = waiting.map(({ report }) => report);
      const recorded = new Set(await this.#deliveries.record(reports, this.#node, LEASE_MS));
      for (const { report, resolve } of waiting) resolve(recorded.has(report.webhookId));
    } catch (error) {
      for (const { reject } of waiting) reject(error);
    }
  }

  async #releaseAll(
    ended: readonly { readonly webhookId: number; readonly resolve: () => void }[],
  ): Promise<void> {
    if (ended.length === 0) return;
    const ids = ended.map(({ webhookId }) => webhookId);
    await this.#deliveries.release(ids, this.#node).catch(() => undefined);
    for (const { resolve } of ended) resolve();
  }
}
