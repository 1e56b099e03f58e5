import type { MaybePromise } from "../../domain/maybe-promise.ts";
import type {
  Delivery,
  DeliveryReport,
  DeliveryRetention,
  DeliveryStore,
  Replay,
  WebhookWork,
} from "../../domain/webhooks/delivery-store.ts";
import type { SqlSteps } from "../lists/sql-steps.ts";
import type { DeliveryTables, DeliveryWrite, DeliveryWriteOutcome } from "./delivery-tables.ts";

/** How an engine runs the statements of the tables of deliveries. */
interface DeliveryQueries {
  /** Calls `steps` once per attempt. */
  read<T>(steps: () => SqlSteps<T>): MaybePromise<T>;
  /** Runs in its own transaction. */
  write(write: DeliveryWrite): Promise<DeliveryWriteOutcome>;
}

/** Deliveries, for any engine. */
export class SqlDeliveryStore implements DeliveryStore {
  readonly #tables: DeliveryTables;
  readonly #queries: DeliveryQueries;

  constructor(tables: DeliveryTables, queries: DeliveryQueries) {
    this.#tables = tables;
    this.#queries = queries;
  }

  listWork(): MaybePromise<WebhookWork[]> {
    return this.#queries.read(() => this.#tables.listWork());
  }

  async lease(webhookIds: readonly number[], node: string, forMs: number): Promise<readonly number[]> {
    return (await this.#write({ kind: "lease", webhookIds, node, forMs })).webhookIds;
  }

  async release(webhookIds: readonly number[], node: string): Promise<void> {
    await this.#write({ kind: "release", webhookIds, node });
  }

  listOpen(webhookId: number, after: number): MaybePromise<Delivery[]> {
    return this.#queries.read(() => this.#tables.listOpen(webhookId, after));
  }

  async record(report: DeliveryReport, forMs: number): Promise<boolean> {
    return (await this.#write({ kind: "record", report, forMs })).recorded;
  }

  list(webhookId: number, before: number | undefined, limit: number): MaybePromise<Delivery[]> {
    return this.#queries.read(() => this.#tables.list(webhookId, before, limit));
  }

  async resend(webhookId: number, position: number, now: number): Promise<Delivery | undefined> {
    return (await this.#write({ kind: "resend", webhookId, position, now })).delivery;
  }

  async replay(webhookId: number, replay: Replay): Promise<void> {
    await this.#write({ kind: "replay", webhookId, replay });
  }

  async removeOldest(webhookId: number, retention: DeliveryRetention): Promise<number> {
    return (await this.#write({ kind: "remove", webhookId, retention })).removed;
  }

  countWaiting(): MaybePromise<number> {
    return this.#queries.read(() => this.#tables.countWaiting());
  }

  #write<W extends DeliveryWrite>(write: W): Promise<Extract<DeliveryWriteOutcome, { kind: W["kind"] }>>;
  async #write(write: DeliveryWrite): Promise<DeliveryWriteOutcome> {
    const outcome = await this.#queries.write(write);
    if (outcome.kind !== write.kind)
      throw new Error(`Expected the outcome of ${write.kind}, got ${outcome.kind}.`);
    return outcome;
  }
}
