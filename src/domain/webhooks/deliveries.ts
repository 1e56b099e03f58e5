import { appendPointer, isObject } from "../../contract/json.ts";
import type { Clock } from "../clock.ts";
import { parseEventId } from "../events/event.ts";
import { FieldErrors } from "../field-errors.ts";
import { andThen, type MaybePromise } from "../maybe-promise.ts";
import { ProblemError } from "../problem-error.ts";
import type { Delivery, DeliveryAttempt, DeliveryStore, Replay } from "./delivery-store.ts";
import type { StoredWebhook, WebhookStore } from "./webhook-store.ts";

/** Sends a sample, and waits for the response. Never fails. */
export type SendSample = (webhook: StoredWebhook) => Promise<Omit<DeliveryAttempt, "time">>;

/** What callers can do with the deliveries of webhooks. Methods throw a `ProblemError` if they fail. */
export class Deliveries {
  readonly #webhooks: WebhookStore;
  readonly #deliveries: DeliveryStore;
  readonly #sendSample: SendSample;
  readonly #clock: Clock;

  constructor(webhooks: WebhookStore, deliveries: DeliveryStore, sendSample: SendSample, clock: Clock) {
    this.#webhooks = webhooks;
    this.#deliveries = deliveries;
    this.#sendSample = sendSample;
    this.#clock = clock;
  }

  /** The deliveries of events before this position, newest first. */
  async list(webhookId: number, before: number | undefined, limit: number): Promise<readonly Delivery[]> {
    await this.#read(webhookId);
    return this.#deliveries.list(webhookId, before, limit);
  }

  async sendSample(webhookId: number): ReturnType<SendSample> {
    return this.#sendSample(await this.#read(webhookId));
  }

  /** Fails with `delivery-not-found` or `webhook-inactive`. */
  async resend(webhookId: number, eventId: string): Promise<Delivery> {
    await this.#readActive(webhookId);
    const position = parseEventId(eventId);
    const delivery =
      position === undefined
        ? undefined
        : await this.#deliveries.resend(webhookId, position, this.#clock.now());
    if (!delivery) {
      throw new ProblemError("delivery-not-found", `Webhook ${webhookId} has no delivery with this id.`);
    }
    return delivery;
  }

  /** Fails with `invalid-webhook` or `webhook-inactive`. */
  async replay(webhookId: number, body: unknown): Promise<Replay> {
    const replay = parseReplay(body, this.#clock.now());
    await this.#readActive(webhookId);
    await this.#deliveries.replay(webhookId, replay);
    return replay;
  }

  #read(id: number): MaybePromise<StoredWebhook> {
    return andThen(this.#webhooks.read(id), (webhook) => {
      if (!webhook) throw new ProblemError("webhook-not-found", `There is no webhook ${id}.`);
      return webhook;
    });
  }

  async #readActive(id: number): Promise<void> {
    const { active } = await this.#read(id);
    if (!active)
      throw new ProblemError("webhook-inactive", `Webhook ${id} is not active. Activate it first.`);
  }
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/;

function parseReplay(body: unknown, now: number): Replay {
  const errors = new FieldErrors();
  const fields = isObject(body) ? Object.entries(body) : [];
  if (fields.length === 0) errors.add("", "Send an object with from, and optionally to.");
  const times = new Map<string, number>();
  for (const [name, value] of fields) {
    const time = typeof value === "string" && TIME.test(value) ? Date.parse(value) : Number.NaN;
    if (name !== "from" && name !== "to") {
      errors.add(appendPointer("", name), "Unknown field.");
    } else if (Number.isNaN(time) || time < 0) {
      errors.add(`/${name}`, "Enter a time since 1970, such as 2026-11-16T08:00:00Z.");
    } else times.set(name, time);
  }
  errors.throwIfAny("invalid-webhook");
  const to = times.get("to") ?? now;
  const from = times.get("from") ?? Number.NaN;
  if (!(from < to)) errors.add("/from", times.has("from") ? "Enter a time before to." : "Required.");
  errors.throwIfAny("invalid-webhook");
  return { from, to, after: null };
}
