import { randomBytes } from "node:crypto";
import { webhookLimits } from "../../contract/webhooks/webhook.ts";
import type { Webhook, WebhookWithSecret } from "../../contract/webhooks/webhook-schemas.ts";
import type { Origin } from "../caller.ts";
import type { Clock } from "../clock.ts";
import { andThen, type MaybePromise } from "../maybe-promise.ts";
import { checkPrecondition, type Precondition } from "../precondition.ts";
import { ProblemError } from "../problem-error.ts";
import { checkWebhook, checkWebhookPatch } from "./check-webhook.ts";
import { webhookRecord } from "./webhook-record.ts";
import type { WebhookStore } from "./webhook-store.ts";

const HOUR_MS = 3_600_000;
const SECRET_BYTES = 32;

/** What callers can do with webhooks. Methods throw a `ProblemError` if they fail. */
export class Webhooks {
  readonly #store: WebhookStore;
  readonly #clock: Clock;
  readonly #allowPrivate: boolean;

  /** `allowPrivate`: whether URLs may lead to private addresses. */
  constructor(store: WebhookStore, allowPrivate: boolean, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
    this.#allowPrivate = allowPrivate;
  }

  list(after: number, limit: number): MaybePromise<Webhook[]> {
    return andThen(this.#store.list(after, limit), (webhooks) => webhooks.map(webhookRecord));
  }

  read(id: number, precondition?: Precondition): MaybePromise<Webhook> {
    return andThen(this.#store.read(id), (webhook) => {
      if (!webhook) throw new ProblemError("webhook-not-found", `There is no webhook ${id}.`);
      if (precondition) checkPrecondition(precondition, webhook, "webhook");
      return webhookRecord(webhook);
    });
  }

  /** Fails with `invalid-webhook`. */
  async create(by: Origin, body: unknown): Promise<WebhookWithSecret> {
    const settings = checkWebhook(body, this.#allowPrivate);
    const webhook = await this.#store.create({ ...settings, secret: createSecret() }, by);
    return { ...webhookRecord(webhook), secret: webhook.secret };
  }

  async update(
    by: Origin,
    id: number,
    body: unknown,
    precondition: Precondition | undefined,
  ): Promise<Webhook> {
    const change = checkWebhookPatch(body, this.#allowPrivate);
    return webhookRecord(await this.#store.update(id, change, precondition, by));
  }

  remove(by: Origin, id: number, precondition: Precondition | undefined): Promise<void> {
    return this.#store.remove(id, precondition, by);
  }

  async rotate(by: Origin, id: number, precondition: Precondition | undefined): Promise<WebhookWithSecret> {
    const until = this.#clock.now() + webhookLimits.rotationHours * HOUR_MS;
    const webhook = await this.#store.rotate(id, createSecret(), until, precondition, by);
    return { ...webhookRecord(webhook), secret: webhook.secret };
  }
}

/** A new secret, as Standard Webhooks writes it. */
export function createSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString("base64")}`;
}
