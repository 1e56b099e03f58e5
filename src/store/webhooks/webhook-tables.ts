import { type DisabledReason, disabledReasons, webhookLimits } from "../../contract/webhooks/webhook.ts";
import type { Origin } from "../../domain/caller.ts";
import type { EventDraft } from "../../domain/events/event.ts";
import { checkPrecondition, type Precondition } from "../../domain/precondition.ts";
import { ProblemError } from "../../domain/problem-error.ts";
import type { StoredWebhook, WebhookDraft, WebhookSettings } from "../../domain/webhooks/webhook-store.ts";
import { webhookChanged, webhookCreated, webhookDeleted } from "../events/webhook-events.ts";
import { checkActor } from "../keys/check-actor.ts";
import type { Sql, SqlValue } from "../sql/sql.ts";
import type { SqlSteps } from "../sql/sql-steps.ts";
import { removeDeliveries } from "./delivery-tables.ts";

/** SQL of the table of webhooks that differs between engines. */
export interface WebhookDialect {
  /** Prefix of table names. */
  readonly schema: string;
  /** Statement that locks out concurrent changes of webhooks; undefined if the engine has only one writer. */
  readonly lock: string | undefined;
  /** Statement that returns a new id. */
  readonly nextId: string;
  /** Statement that appends an event. */
  readonly appendEvent: (event: EventDraft, now: number) => Sql;
}

/** A change of a webhook as plain data, which can be sent to the writer thread. */
export type WebhookWrite =
  | { readonly kind: "create"; readonly draft: WebhookDraft; readonly by: Origin }
  | {
      readonly kind: "update";
      readonly id: number;
      readonly change: Partial<WebhookSettings>;
      readonly precondition: Precondition | undefined;
      readonly by: Origin;
    }
  | {
      readonly kind: "rotate";
      readonly id: number;
      readonly secret: string;
      readonly previousSecretUntil: number;
      readonly precondition: Precondition | undefined;
      readonly by: Origin;
    }
  | {
      readonly kind: "remove";
      readonly id: number;
      readonly precondition: Precondition | undefined;
      readonly by: Origin;
    }
  | { readonly kind: "disable"; readonly id: number; readonly reason: DisabledReason; readonly by: Origin };

/** The columns of `toValues`. Deliveries change the other ones, without the lock. */
const columns = [
  "url",
  "types",
  "description",
  "filter",
  "active",
  "secret",
  "previous_secret",
  "previous_until",
  "created_at",
  "updated_at",
  "version",
  "disabled_reason",
];

/** Every statement on the table of webhooks, for any engine. Callers run writes in a transaction. */
export class WebhookTables {
  readonly #dialect: WebhookDialect;
  readonly #table: string;
  readonly #select: string;

  constructor(dialect: WebhookDialect) {
    this.#dialect = dialect;
    this.#table = `${dialect.schema}webhooks`;
    this.#select = `SELECT ${["id", ...columns, "position", "failing_since"].join(", ")} FROM ${this.#table}`;
  }

  *list(after: number, limit: number): SqlSteps<StoredWebhook[]> {
    const rows = yield this.#sql(`${this.#select} WHERE id > ? ORDER BY id LIMIT ?`, after, limit);
    return rows.map(toWebhook);
  }

  *read(id: number): SqlSteps<StoredWebhook | undefined> {
    const [row] = yield this.#sql(`${this.#select} WHERE id = ?`, id);
    return row && toWebhook(row);
  }

  /** Applies a change, and returns the webhook; undefined if it does not exist, or if there is nothing to disable. */
  *write(write: WebhookWrite): SqlSteps<StoredWebhook | undefined> {
    if (this.#dialect.lock !== undefined) yield this.#sql(this.#dialect.lock);
    yield* checkActor(this.#dialect.schema, write.by);
    if (write.kind === "create") return yield* this.#create(write.draft, write.by);
    const before = yield* this.read(write.id);
    if (!before) return undefined;
    if (write.kind !== "disable" && write.precondition)
      checkPrecondition(write.precondition, before, "webhook");
    switch (write.kind) {
      case "update":
        return yield* this.#update(before, write.change, write.by);
      case "rotate":
        return yield* this.#rotate(before, write.secret, write.previousSecretUntil, write.by);
      case "remove":
        return yield* this.#remove(before, write.by);
      case "disable":
        return before.active ? yield* this.#disable(before, write.reason, write.by) : undefined;
    }
  }

  /** Disables every active webhook: a restored copy must not send what another service sends too. */
  *disableAll(reason: DisabledReason, by: Origin): SqlSteps<void> {
    for (const webhook of yield* this.list(0, webhookLimits.webhooks)) {
      if (webhook.active) yield* this.#disable(webhook, reason, by);
    }
  }

  /** Repeating it after a lost response returns the webhook that exists: its secret is the same. */
  *#create(draft: WebhookDraft, by: Origin): SqlSteps<StoredWebhook> {
    const [existing] = yield this.#sql(`${this.#select} WHERE secret = ?`, draft.secret);
    if (existing) return toWebhook(existing);
    const [counted] = yield this.#sql(`SELECT count(*) FROM ${this.#table}`);
    if (Number(counted?.[0]) >= webhookLimits.webhooks) {
      const detail = `There are already ${webhookLimits.webhooks} webhooks. Delete some that are not needed.`;
      throw new ProblemError("invalid-webhook", detail, [{ pointer: "", detail }]);
    }
    const [next] = yield this.#sql(this.#dialect.nextId);
    const now = Date.now();
    const webhook: StoredWebhook = {
      ...draft,
      id: Number(next?.[0]),
      previousSecret: null,
      previousSecretUntil: null,
      createdAt: now,
      updatedAt: now,
      version: 1,
      position: 0,
      failingSince: null,
      disabledReason: null,
    };
    const names = ["id", ...columns, "position"];
    yield this.#sql(
      `INSERT INTO ${this.#table} (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`,
      webhook.id,
      ...toValues(webhook),
      webhook.position,
    );
    yield this.#dialect.appendEvent(webhookCreated(webhook, by), now);
    return yield* this.#startAtLastEvent(webhook);
  }

  *#update(before: StoredWebhook, change: Partial<WebhookSettings>, by: Origin): SqlSteps<StoredWebhook> {
    const changed = { ...before, ...change };
    const isActivated = changed.active && !before.active;
    const after = isActivated ? { ...changed, failingSince: null, disabledReason: null } : changed;
    if (toValues(after).join("\n") === toValues(before).join("\n")) return before;
    const saved = yield* this.#save("webhook.updated", before, after, by);
    return isActivated ? yield* this.#startAtLastEvent(saved) : saved;
  }

  /** Repeating it after a lost response changes nothing: the secret is the same. */
  *#rotate(
    before: StoredWebhook,
    secret: string,
    previousSecretUntil: number,
    by: Origin,
  ): SqlSteps<StoredWebhook> {
    if (before.secret === secret) return before;
    const after = { ...before, secret, previousSecret: before.secret, previousSecretUntil };
    return yield* this.#save("webhook.updated", before, after, by);
  }

  *#remove(webhook: StoredWebhook, by: Origin): SqlSteps<StoredWebhook> {
    yield* removeDeliveries(this.#dialect.schema, webhook.id);
    yield this.#sql(`DELETE FROM ${this.#table} WHERE id = ?`, webhook.id);
    yield this.#dialect.appendEvent(webhookDeleted(webhook, by), Date.now());
    return webhook;
  }

  *#disable(before: StoredWebhook, disabledReason: DisabledReason, by: Origin): SqlSteps<StoredWebhook> {
    return yield* this.#save("webhook.disabled", before, { ...before, active: false, disabledReason }, by);
  }

  *#save(
    type: "webhook.updated" | "webhook.disabled",
    before: StoredWebhook,
    changed: StoredWebhook,
    by: Origin,
  ): SqlSteps<StoredWebhook> {
    const now = Date.now();
    const after = { ...changed, version: before.version + 1, updatedAt: now };
    yield this.#sql(
      `UPDATE ${this.#table} SET ${columns.map((name) => `${name} = ?`).join(", ")} WHERE id = ?`,
      ...toValues(after),
      after.id,
    );
    yield this.#dialect.appendEvent(webhookChanged(type, before, after, by), now);
    return after;
  }

  /** Must follow the statement that appends an event: only later events will be delivered. */
  *#startAtLastEvent(webhook: StoredWebhook): SqlSteps<StoredWebhook> {
    const [row] = yield this.#sql(
      `UPDATE ${this.#table} SET failing_since = NULL,
       position = (SELECT max(position) FROM ${this.#dialect.schema}events) WHERE id = ? RETURNING position`,
      webhook.id,
    );
    return { ...webhook, position: Number(row?.[0]) };
  }

  #sql(text: string, ...values: SqlValue[]): Sql {
    return { text, values };
  }
}

function toValues(webhook: StoredWebhook): SqlValue[] {
  return [
    webhook.url,
    JSON.stringify(webhook.types),
    webhook.description,
    webhook.filter,
    webhook.active ? 1 : 0,
    webhook.secret,
    webhook.previousSecret,
    webhook.previousSecretUntil,
    webhook.createdAt,
    webhook.updatedAt,
    webhook.version,
    webhook.disabledReason,
  ];
}

function toWebhook(row: readonly unknown[]): StoredWebhook {
  const [id, url, types, description, filter, active, secret, previousSecret, previousUntil, ...rest] = row;
  const [createdAt, updatedAt, version, disabledReason, position, failingSince] = rest;
  return {
    id: Number(id),
    url: String(url),
    types: JSON.parse(String(types)),
    description: String(description),
    filter: filter === null ? null : String(filter),
    active: Number(active) === 1,
    secret: String(secret),
    previousSecret: previousSecret === null ? null : String(previousSecret),
    previousSecretUntil: toNumber(previousUntil),
    createdAt: Number(createdAt),
    updatedAt: Number(updatedAt),
    version: Number(version),
    position: Number(position),
    failingSince: toNumber(failingSince),
    disabledReason: disabledReasons.find((reason) => reason === disabledReason) ?? null,
  };
}

function toNumber(value: unknown): number | null {
  return value === null ? null : Number(value);
}
