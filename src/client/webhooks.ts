import { type ItemList, List } from "./list.ts";
import { Resource } from "./resource.ts";
import type {
  AttemptHistory,
  Delivery,
  DeliveryDetails,
  ReplayRange,
  Webhook,
  WebhookInput,
  WebhookTestResult,
  WebhookWithSecret,
} from "./service-types.ts";
import type { ServiceTransport } from "./transport/service-transport.ts";
import type { CallOptions, ChangeOptions, Id } from "./types.ts";
import type {
  AttemptOptions,
  DeliveryListOptions,
  DeliveryPage,
  WebhookListOptions,
  WebhookPage,
} from "./webhook-types.ts";

export type WebhookList = ItemList<Webhook, WebhookPage>;

export type DeliveryList = ItemList<Delivery, DeliveryPage>;

/** The operations on webhooks. */
export class Webhooks {
  readonly #webhooks: Resource<Webhook>;
  readonly #withSecret: Resource<WebhookWithSecret>;
  readonly #testResults: Resource<WebhookTestResult>;
  readonly #replays: Resource<{ from: string; to: string }>;
  readonly #attempts: Resource<AttemptHistory>;

  constructor(transport: ServiceTransport) {
    this.#webhooks = new Resource(transport, "webhooks", { id: "number", url: "string" });
    this.#withSecret = new Resource(transport, "webhooks", { id: "number", secret: "string" });
    this.#testResults = new Resource(transport, "webhooks", { delivered: "boolean" });
    this.#replays = new Resource(transport, "webhooks", { from: "string", to: "string" });
    this.#attempts = new Resource(transport, "webhooks", {});
  }

  /** All webhooks in order of their ids, without their secrets. */
  list(options: WebhookListOptions = {}): WebhookList {
    return new List(this.#webhooks, options, ({ items, next }) => ({ webhooks: items, next }));
  }

  get(id: Id, options?: CallOptions): Promise<Webhook> {
    return this.#webhooks.call("GET", [id], options);
  }

  /**
   * Creates a webhook. The result has its secret, which is not shown again. Retried only on 429, when the service has created no
   * webhook: if the response is lost, look for the webhook in the list.
   */
  create(webhook: WebhookInput, options?: CallOptions): Promise<WebhookWithSecret> {
    return this.#withSecret.call("POST", [], options, webhook);
  }

  /** Changes the given fields. A webhook that becomes active again gets the events after this change. */
  update(id: Id, changes: Partial<WebhookInput>, options?: ChangeOptions): Promise<Webhook> {
    return this.#webhooks.call("PATCH", [id], options, changes);
  }

  delete(id: Id, options?: ChangeOptions): Promise<void> {
    return this.#webhooks.transport.reportErrors(() => this.#webhooks.delete(id, options));
  }

  /** Sends a sample to the webhook now, and returns what its receiver answered. */
  test(id: Id, options?: CallOptions): Promise<WebhookTestResult> {
    return this.#testResults.call("POST", [id, "test"], options);
  }

  /** What was sent to the webhook, newest events first. */
  deliveries(id: Id, { state, ...options }: DeliveryListOptions = {}): DeliveryList {
    const query = state === undefined ? options : { ...options, where: { state } };
    return new List(this.#deliveries(id), query, ({ items, next }) => ({ deliveries: items, next }));
  }

  /** A delivery with its last request, and the last response if the service stores responses. */
  delivery(id: Id, deliveryId: string, options?: CallOptions): Promise<DeliveryDetails> {
    return this.#deliveries<DeliveryDetails>(id).call("GET", [deliveryId], options);
  }

  /** How many attempts of each of the last hours the receiver accepted, and how many failed. */
  attempts(id: Id, { hours, ...options }: AttemptOptions = {}): Promise<AttemptHistory> {
    const query = new URLSearchParams(hours === undefined ? {} : { hours: String(hours) });
    return this.#attempts.call("GET", [id, "attempts"], options, undefined, undefined, query);
  }

  /** Sends the event of a delivery soon after the call: one that waits, has failed, or was accepted before. */
  resend(id: Id, deliveryId: string, options?: CallOptions): Promise<Delivery> {
    return this.#deliveries(id).call("POST", [deliveryId, "resend"], options);
  }

  /** Sends the events of a time range again. Returns the range. */
  replay(id: Id, range: ReplayRange, options?: CallOptions): Promise<{ from: string; to: string }> {
    return this.#replays.call("POST", [id, "replay"], options, range);
  }

  /** Creates a new secret. Deliveries are signed with both secrets for 24 hours. */
  rotate(id: Id, options?: ChangeOptions): Promise<WebhookWithSecret> {
    return this.#withSecret.call("POST", [id, "rotate"], options);
  }

  #deliveries<Item extends Delivery = Delivery>(id: Id): Resource<Item> {
    const { transport } = this.#webhooks;
    return new Resource(transport, "deliveries", { id: "string", state: "string" }, ["webhooks", id]);
  }
}
