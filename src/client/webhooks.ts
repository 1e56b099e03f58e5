import { List } from "./list.ts";
import { type Id, Resource } from "./resource.ts";
import type { ServiceTransport } from "./service-transport.ts";
import type { CallOptions, ChangeOptions } from "./types.ts";
import type {
  Webhook,
  WebhookInput,
  WebhookListOptions,
  WebhookPage,
  WebhookWithSecret,
} from "./webhook-types.ts";

/** A list of webhooks. Pages are fetched as you read. */
export interface WebhookList extends AsyncIterable<Webhook> {
  page(): Promise<WebhookPage>;
  /** All webhooks in one array. Throws a RangeError if there are more than `max`. */
  all(options?: { max?: number }): Promise<Webhook[]>;
}

/** The operations on webhooks. */
export class Webhooks {
  readonly #webhooks: Resource<Webhook>;
  readonly #withSecret: Resource<WebhookWithSecret>;

  constructor(transport: ServiceTransport) {
    this.#webhooks = new Resource(transport, "webhooks", { id: "number", url: "string" });
    this.#withSecret = new Resource(transport, "webhooks", { id: "number", secret: "string" });
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

  /** Creates a new secret. Deliveries are signed with both secrets for 24 hours. */
  rotate(id: Id, options?: ChangeOptions): Promise<WebhookWithSecret> {
    return this.#withSecret.call("POST", [id, "rotate"], options);
  }
}
