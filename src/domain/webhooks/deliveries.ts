import { appendPointer, isObject } from "../../contract/json.ts";
import type { Clock } from "../clock.ts";
import { parseEventId } from "../events/event.ts";
import { FieldErrors } from "../field-errors.ts";
import { andThen, type MaybePromise } from "../maybe-promise.ts";
import { ProblemError } from "../problem-error.ts";
import type {
  Delivery,
  DeliveryAttempt,
  DeliveryQuery,
  DeliveryResponse,
  DeliveryStore,
  HourlyAttempts,
  Replay,
} from "./delivery-store.ts";
import type { StoredWebhook, WebhookStore } from "./webhook-store.ts";

/** Sends a sample, and waits for the response. Never fails. */
export type SendSample = (
  webhook: StoredWebhook,
) => Promise<Pick<DeliveryAttempt, "code" | "durationMs" | "error">>;

/** A request to a receiver. */
interface DeliveryRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Whether these are the bytes that were sent. */
  readonly isExact: boolean;
}

/** Builds the request of the last attempt again. Undefined if there was no attempt, or if the event is no longer kept. */
export type RebuildRequest = (
  webhook: StoredWebhook,
  delivery: Delivery,
) => Promise<DeliveryRequest | undefined>;

export interface DeliveryDetails {
  readonly delivery: Delivery;
  readonly request: DeliveryRequest | undefined;
  /** Undefined if none is stored. */
  readonly response: DeliveryResponse | undefined;
}

interface DeliveriesParts {
  readonly webhooks: WebhookStore;
  readonly deliveries: DeliveryStore;
  readonly sendSample: SendSample;
  readonly rebuildRequest: RebuildRequest;
  /** Whether the service stores responses. If not, those that it has stored are not shown. */
  readonly storesResponses: boolean;
  readonly clock: Clock;
}

const HOUR_MS = 3_600_000;

/** What callers can do with the deliveries of webhooks. Methods throw a `ProblemError` if they fail. */
export class Deliveries {
  readonly #webhooks: WebhookStore;
  readonly #deliveries: DeliveryStore;
  readonly #parts: DeliveriesParts;
  readonly #clock: Clock;

  constructor(parts: DeliveriesParts) {
    this.#webhooks = parts.webhooks;
    this.#deliveries = parts.deliveries;
    this.#parts = parts;
    this.#clock = parts.clock;
  }

  get storesResponses(): boolean {
    return this.#parts.storesResponses;
  }

  async list(webhookId: number, query: DeliveryQuery): Promise<readonly Delivery[]> {
    await this.#read(webhookId);
    return this.#deliveries.list(webhookId, query);
  }

  /** Fails with `delivery-not-found`. */
  async read(webhookId: number, eventId: string): Promise<DeliveryDetails> {
    const webhook = await this.#read(webhookId);
    const position = parseEventId(eventId);
    const delivery = position === undefined ? undefined : await this.#deliveries.read(webhookId, position);
    if (!delivery) throw deliveryNotFound(webhookId);
    return {
      delivery,
      request: await this.#parts.rebuildRequest(webhook, delivery),
      response: this.storesResponses
        ? await this.#deliveries.readResponse(webhookId, delivery.position)
        : undefined,
    };
  }

  /** The attempts that began in each of the last hours up to this one, oldest first. */
  async readAttempts(webhookId: number, count: number): Promise<readonly HourlyAttempts[]> {
    await this.#read(webhookId);
    const first = Math.floor(this.#clock.now() / HOUR_MS) - (count - 1);
    const counted = await this.#deliveries.readAttempts(webhookId, first);
    const byHour = new Map(counted.map((each) => [each.hour, each]));
    return Array.from(
      { length: count },
      (_, index) => byHour.get(first + index) ?? { hour: first + index, accepted: 0, failed: 0 },
    );
  }

  async sendSample(webhookId: number): ReturnType<SendSample> {
    return this.#parts.sendSample(await this.#read(webhookId));
  }

  /** Fails with `delivery-not-found` or `webhook-inactive`. */
  async resend(webhookId: number, eventId: string): Promise<Delivery> {
    await this.#readActive(webhookId);
    const position = parseEventId(eventId);
    const delivery =
      position === undefined
        ? undefined
        : await this.#deliveries.resend(webhookId, position, this.#clock.now());
    if (!delivery) throw deliveryNotFound(webhookId);
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

function deliveryNotFound(webhookId: number): ProblemError {
  return new ProblemError("delivery-not-found", `Webhook ${webhookId} has no delivery with this id.`);
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
