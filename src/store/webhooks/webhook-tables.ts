import { type DisabledReason, disabledReasons, webhookLimits } from "../../contract/webhooks/webhook.ts";
import type { Origin } from "../../domain/caller.ts";
import { describeChanges, type EventDraft } from "../../domain/events/event.ts";
import { checkPrecondition, type Precondition } from "../../domain/precondition.ts";
import { ProblemError } from "../../domain/problem-error.ts";
import { webhookRecord } from "../../domain/webhooks/webhook-record.ts";
import type {
  StoredWebhook,
  WebhookDraft,
  WebhookSettings,
  WebhookStore,
} from "../../domain/webhooks/webhook-store.ts";
import { checkActor } from "../keys/check-actor.ts";
import type { EngineOf } from "../sql/engine.ts";
import { type SqlValue, sql, toNumber, toText } from "../sql/sql.ts";
import type { SqlSteps } from "../sql/sql-steps.ts";
import type { TableDialect } from "../sql/table-dialect.ts";
import { removeDeliveries } from "./delivery-tables.ts";

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

/** Every statement on the table of webhooks, for any engine. Writes must run in a transaction. */
export class WebhookTables {
  readonly #dialect: TableDialect;
  readonly #table: string;
  readonly #select: string;

  constructor(dialect: TableDialect) {
    this.#dialect = dialect;
    this.#table = `${dialect.schema}webhooks`;
    this.#select = `SELECT ${["id", ...columns, "position", "failing_since"].join(", ")} FROM ${this.#table}`;
  }

  *list(after: number, limit: number): SqlSteps<StoredWebhook[]> {
    const rows = yield sql(`${this.#select} WHERE id > ? ORDER BY id LIMIT ?`, after, limit);
    return rows.map(toWebhook);
  }

  *read(id: number): SqlSteps<StoredWebhook | undefined> {
    const [row] = yield sql(`${this.#select} WHERE id = ?`, id);
    return row && toWebhook(row);
  }

  /** Disables every active webhook: a restored copy must not send what another service sends too. */
  *disableAll(reason: DisabledReason, by: Origin): SqlSteps<void> {
    for (const webhook of yield* this.list(0, webhookLimits.webhooks)) {
      if (webhook.active) yield* this.#disable(webhook, reason, by);
    }
  }

  /** Repeating it after a lost response returns the webhook that exists: its secret is the same. */
  *create(draft: WebhookDraft, by: Origin): SqlSteps<StoredWebhook> {
    yield* this.#begin(by);
    const [existing] = yield sql(`${this.#select} WHERE secret = ?`, draft.secret);
    if (existing) return toWebhook(existing);
    const [counted] = yield sql(`SELECT count(*) FROM ${this.#table}`);
    if (Number(counted?.[0]) >= webhookLimits.webhooks) {
      const detail = `There are already ${webhookLimits.webhooks} webhooks. Delete some that are not needed.`;
      throw new ProblemError("invalid-webhook", detail, [{ pointer: "", detail }]);
    }
    const [next] = yield sql(this.#dialect.nextId("webhook"));
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
    yield sql(
      `INSERT INTO ${this.#table} (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`,
      webhook.id,
      ...toValues(webhook),
      webhook.position,
    );
    yield this.#dialect.appendEvent(webhookCreated(webhook, by), now);
    return yield* this.#startAtLastEvent(webhook);
  }

  *update(
    id: number,
    change: Partial<WebhookSettings>,
    precondition: Precondition | undefined,
    by: Origin,
  ): SqlSteps<StoredWebhook> {
    const before = yield* this.#require(id, precondition, by);
    const changed = { ...before, ...change };
    const isActivated = changed.active && !before.active;
    const after = isActivated ? { ...changed, failingSince: null, disabledReason: null } : changed;
    if (toValues(after).join("\n") === toValues(before).join("\n")) return before;
    const saved = yield* this.#save("webhook.updated", before, after, by);
    return isActivated ? yield* this.#startAtLastEvent(saved) : saved;
  }

  /** Repeating it after a lost response changes nothing: the secret is the same. */
  *rotate(
    id: number,
    secret: string,
    previousSecretUntil: number,
    precondition: Precondition | undefined,
    by: Origin,
  ): SqlSteps<StoredWebhook> {
    const before = yield* this.#require(id, precondition, by);
    if (before.secret === secret) return before;
    const after = { ...before, secret, previousSecret: before.secret, previousSecretUntil };
    return yield* this.#save("webhook.updated", before, after, by);
  }

  *remove(id: number, precondition: Precondition | undefined, by: Origin): SqlSteps<void> {
    const webhook = yield* this.#require(id, precondition, by);
    yield* removeDeliveries(this.#dialect.schema, webhook.id);
    yield sql(`DELETE FROM ${this.#table} WHERE id = ?`, webhook.id);
    yield this.#dialect.appendEvent(webhookDeleted(webhook, by), Date.now());
  }

  *disable(id: number, reason: DisabledReason, by: Origin): SqlSteps<boolean> {
    yield* this.#begin(by);
    const before = yield* this.read(id);
    if (!before?.active) return false;
    yield* this.#disable(before, reason, by);
    return true;
  }

  *#begin(by: Origin): SqlSteps<void> {
    const { schema, locks } = this.#dialect;
    if (locks) yield sql(locks.keysAndWebhooks);
    yield* checkActor(schema, by);
  }

  /** The webhook that a change begins with. */
  *#require(id: number, precondition: Precondition | undefined, by: Origin): SqlSteps<StoredWebhook> {
    yield* this.#begin(by);
    const webhook = yield* this.read(id);
    if (!webhook) throw new ProblemError("webhook-not-found", `There is no webhook ${id}.`);
    if (precondition) checkPrecondition(precondition, webhook, "webhook");
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
    yield sql(
      `UPDATE ${this.#table} SET ${columns.map((name) => `${name} = ?`).join(", ")} WHERE id = ?`,
      ...toValues(after),
      after.id,
    );
    yield this.#dialect.appendEvent(webhookChanged(type, before, after, by), now);
    return after;
  }

  /** Must follow the statement that appends the event of this change: only later events will be delivered. */
  *#startAtLastEvent(webhook: StoredWebhook): SqlSteps<StoredWebhook> {
    const { publishing } = this.#dialect;
    if (publishing) yield sql(publishing.all);
    const [row] = yield sql(
      `UPDATE ${this.#table} SET failing_since = NULL,
       position = (SELECT max(position) FROM ${this.#dialect.schema}events WHERE subject_type = 'webhook' AND subject_id = ?)
       WHERE id = ? RETURNING position`,
      webhook.id,
      webhook.id,
    );
    return { ...webhook, position: Number(row?.[0]) };
  }
}

/** The store of webhooks, for any engine. */
export function webhookStore({ read, write }: EngineOf<WebhookTables>): WebhookStore {
  return {
    list: (...args) => read("list", args),
    read: (...args) => read("read", args),
    create: (...args) => write("create", args),
    update: (...args) => write("update", args),
    remove: (...args) => write("remove", args),
    rotate: (...args) => write("rotate", args),
    disable: (...args) => write("disable", args),
  };
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
    filter: toText(filter),
    active: Number(active) === 1,
    secret: String(secret),
    previousSecret: toText(previousSecret),
    previousSecretUntil: toNumber(previousUntil),
    createdAt: Number(createdAt),
    updatedAt: Number(updatedAt),
    version: Number(version),
    position: Number(position),
    failingSince: toNumber(failingSince),
    disabledReason: disabledReasons.find((reason) => reason === disabledReason) ?? null,
  };
}

function webhookCreated(webhook: StoredWebhook, by: Origin): EventDraft {
  return draft("webhook.created", webhook, "{}", by);
}

function webhookDeleted(webhook: StoredWebhook, by: Origin): EventDraft {
  return draft("webhook.deleted", webhook, "{}", by);
}

function webhookChanged(
  type: "webhook.updated" | "webhook.disabled",
  before: StoredWebhook,
  after: StoredWebhook,
  by: Origin,
): EventDraft {
  return draft(type, after, describeChanges(changeable(before), changeable(after)), by);
}

function changeable(webhook: StoredWebhook) {
  const { version, updatedAt, ...fields } = webhookRecord(webhook);
  return fields;
}

function draft(type: EventDraft["type"], webhook: StoredWebhook, changes: string, by: Origin): EventDraft {
  const record = webhookRecord(webhook);
  return {
    type,
    subjectId: webhook.id,
    version: webhook.version,
    by,
    changes,
    record: JSON.stringify(record),
  };
}
