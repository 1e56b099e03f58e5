import type { DisabledReason } from "../../contract/webhooks/webhook.ts";
import type { Origin } from "../../domain/caller.ts";
import type { MaybePromise } from "../../domain/maybe-promise.ts";
import type { Precondition } from "../../domain/precondition.ts";
import { ProblemError } from "../../domain/problem-error.ts";
import type {
  StoredWebhook,
  WebhookDraft,
  WebhookSettings,
  WebhookStore,
} from "../../domain/webhooks/webhook-store.ts";
import type { TableQueries } from "../sql/table-queries.ts";
import type { WebhookTables, WebhookWrite } from "./webhook-tables.ts";

/** Webhooks, for any engine. */
export class SqlWebhookStore implements WebhookStore {
  readonly #tables: WebhookTables;
  readonly #queries: TableQueries<WebhookWrite, StoredWebhook | undefined>;

  constructor(tables: WebhookTables, queries: TableQueries<WebhookWrite, StoredWebhook | undefined>) {
    this.#tables = tables;
    this.#queries = queries;
  }

  list(after: number, limit: number): MaybePromise<StoredWebhook[]> {
    return this.#queries.read(() => this.#tables.list(after, limit));
  }

  read(id: number): MaybePromise<StoredWebhook | undefined> {
    return this.#queries.read(() => this.#tables.read(id));
  }

  async create(draft: WebhookDraft, by: Origin): Promise<StoredWebhook> {
    const created = await this.#queries.write({ kind: "create", draft, by });
    if (!created) throw new Error("The new webhook is missing.");
    return created;
  }

  update(
    id: number,
    change: Partial<WebhookSettings>,
    precondition: Precondition | undefined,
    by: Origin,
  ): Promise<StoredWebhook> {
    return this.#change({ kind: "update", id, change, precondition, by });
  }

  async remove(id: number, precondition: Precondition | undefined, by: Origin): Promise<void> {
    await this.#change({ kind: "remove", id, precondition, by });
  }

  rotate(
    id: number,
    secret: string,
    previousSecretUntil: number,
    precondition: Precondition | undefined,
    by: Origin,
  ): Promise<StoredWebhook> {
    return this.#change({ kind: "rotate", id, secret, previousSecretUntil, precondition, by });
  }

  async disable(id: number, reason: DisabledReason, by: Origin): Promise<boolean> {
    return (await this.#queries.write({ kind: "disable", id, reason, by })) !== undefined;
  }

  async #change(write: Exclude<WebhookWrite, { kind: "create" }>): Promise<StoredWebhook> {
    const webhook = await this.#queries.write(write);
    if (!webhook) throw new ProblemError("webhook-not-found", `There is no webhook ${write.id}.`);
    return webhook;
  }
}
