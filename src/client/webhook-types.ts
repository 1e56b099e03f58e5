import type { Delivery, Webhook } from "./service-types.ts";
import type { CallOptions } from "./types.ts";

export interface WebhookListOptions extends CallOptions {
  /** Items per page. */
  readonly limit?: number;
  /** The cursor of a page, from `next` of the page before it. */
  readonly after?: string;
}

export interface DeliveryListOptions extends WebhookListOptions {
  /** Only deliveries in this state. */
  readonly state?: Delivery["state"];
}

/** How many hours to read, up to this one: 1 to 720, default 24. */
export interface AttemptOptions extends CallOptions {
  readonly hours?: number;
}

export interface WebhookPage {
  readonly webhooks: Webhook[];
  /** The cursor of the next page; undefined on the last page. */
  readonly next: string | undefined;
}

export interface DeliveryPage {
  readonly deliveries: Delivery[];
  /** The cursor of the next page; undefined on the last page. */
  readonly next: string | undefined;
}
