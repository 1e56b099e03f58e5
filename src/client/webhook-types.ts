import type { EventTypeFilter } from "./events/event-type.ts";
import type { CallOptions } from "./types.ts";

/** A webhook, without its secret. */
export interface Webhook {
  readonly id: number;
  readonly url: string;
  /** Which events are sent: types such as `user.created`, all types of a subject (`user.*`), or `*`. */
  readonly types: readonly string[];
  readonly description: string;
  /** A filter expression on the record of an event; null for all events. */
  readonly filter: string | null;
  readonly active: boolean;
  /** Why the service set `active` to false: the receiver answered 410, failed for five days, or a backup was restored. */
  readonly disabledReason: "gone" | "failing" | "restored" | null;
  /** Every delivery since this time has failed; null if the last one succeeded. */
  readonly failingSince: string | null;
  /** Until then, deliveries are also signed with the secret before the last rotation. */
  readonly previousSecretUntil: string | null;
  readonly version: number;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** A webhook with its secret: newly created, or after a rotation. */
export interface WebhookWithSecret extends Webhook {
  /** Signs deliveries. Store it now: it is not shown again. */
  readonly secret: string;
}

/** The fields of a new webhook. */
export interface WebhookInput {
  /** An `https:` URL. */
  readonly url: string;
  /** Which events are sent: types such as `user.created`, all types of a subject (`user.*`), or `*`. */
  readonly types: readonly (EventTypeFilter | "*")[];
  readonly description?: string | null;
  /** A filter expression on the record of an event. */
  readonly filter?: string | null;
  /** Default: true. */
  readonly active?: boolean;
}

export interface WebhookListOptions extends CallOptions {
  /** Webhooks per page. */
  readonly limit?: number;
  /** The cursor of a page, from `next` of the page before it. */
  readonly after?: string;
}

export interface WebhookPage {
  readonly webhooks: Webhook[];
  /** The cursor of the next page; undefined on the last page. */
  readonly next: string | undefined;
}

/** One request to the receiver. */
export interface DeliveryAttempt {
  readonly time: string;
  /** Null if there was no response. */
  readonly status: number | null;
  readonly durationMs: number;
  /** Why the attempt failed; null if the receiver accepted the event. */
  readonly error: string | null;
}

/** An event that was sent to a webhook, or that waits for its next attempt. */
export interface Delivery {
  /** The id of the event. */
  readonly id: string;
  readonly type: string;
  readonly subject: { readonly type: string; readonly id: number };
  /** `failed`: all attempts failed. */
  readonly state: "waiting" | "delivered" | "failed";
  /** The last attempts, oldest first. */
  readonly attempts: readonly DeliveryAttempt[];
  /** Null if no attempt is planned, or if an earlier event of the same subject comes first. */
  readonly nextAttemptAt: string | null;
}

export interface DeliveryPage {
  readonly deliveries: Delivery[];
  /** The cursor of the next page; undefined on the last page. */
  readonly next: string | undefined;
}

/** The outcome of a sample that was sent to a webhook. */
export interface WebhookTestResult extends Omit<DeliveryAttempt, "time"> {
  /** Whether the receiver accepted the sample. */
  readonly delivered: boolean;
}

/** The events to send again. */
export interface ReplayRange {
  /** At or after this time. */
  readonly from: string | Date;
  /** Before this time. Default: now. */
  readonly to?: string | Date;
}
