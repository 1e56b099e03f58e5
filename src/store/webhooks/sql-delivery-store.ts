import type { MaybePromise } from "../../domain/maybe-promise.ts";
import type {
  Delivery,
  DeliveryReport,
  DeliveryRetention,
  DeliveryStore,
  Replay,
  WebhookWork,
} from "../../domain/webhooks/delivery-store.ts";
import { runWrite, type TableQueries } from "../sql/table-queries.ts";
import {
  type DeliveryTables,
  type DeliveryWrite,
  type DeliveryWriteOutcome,
  renderReport,
} from "./delivery-tables.ts";

/** Deliveries, for any engine. */
export class SqlDeliveryStore implements DeliveryStore {
  readonly #tables: DeliveryTables;
  readonly #queries: TableQueries<DeliveryWrite, DeliveryWriteOutcome>;

  constructor(tables: DeliveryTables, queries: TableQueries<DeliveryWrite, DeliveryWriteOutcome>) {
    this.#tables = tables;
    this.#queries = queries;
  }

  listWork(): MaybePromise<WebhookWork[]> {
    return this.#queries.read(() => this.#tables.listWork());
  }

  async lease(webhookIds: readonly number[], node: string, forMs: number): Promise<readonly number[]> {
    return (await runWrite(this.#queries, { kind: "lease", webhookIds, node, forMs })).webhookIds;
  }

  async release(webhookIds: readonly number[], node: string): Promise<void> {
    await runWrite(this.#queries, { kind: "release", webhookIds, node });
  }

  listOpen(webhookId: number, after: number): MaybePromise<Delivery[]> {
    return this.#queries.read(() => this.#tables.listOpen(webhookId, after));
  }

  async record(reports: readonly DeliveryReport[], node: string, forMs: number): Promise<readonly number[]> {
    const rendered = reports.map(renderReport);
    return (await runWrite(this.#queries, { kind: "record", reports: rendered, node, forMs })).webhookIds;
  }

  list(webhookId: number, before: number | undefined, limit: number): MaybePromise<Delivery[]> {
    return this.#queries.read(() => this.#tables.list(webhookId, before, limit));
  }

  async resend(webhookId: number, position: number, now: number): Promise<Delivery | undefined> {
    return (await runWrite(this.#queries, { kind: "resend", webhookId, position, now })).delivery;
  }

  async replay(webhookId: number, replay: Replay): Promise<void> {
    await runWrite(this.#queries, { kind: "replay", webhookId, replay });
  }

  async removeOldest(webhookId: number, retention: DeliveryRetention): Promise<number> {
    return (await runWrite(this.#queries, { kind: "remove", webhookId, retention })).removed;
  }

  countWaiting(): MaybePromise<number> {
    return this.#queries.read(() => this.#tables.countWaiting());
  }
}
