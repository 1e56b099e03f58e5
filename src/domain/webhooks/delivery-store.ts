import type { MaybePromise } from "../maybe-promise.ts";

/** Waiting: for its first attempt, for a retry, or for an earlier event of the same subject. Failed: after the last retry. */
export const deliveryStates = ["waiting", "delivered", "failed"] as const;
type DeliveryState = (typeof deliveryStates)[number];

/** One request to a receiver. */
export interface DeliveryAttempt {
  /** When it began, in milliseconds since 1970. */
  readonly time: number;
  /** The code of the response; null if there was none. */
  readonly code: number | null;
  readonly durationMs: number;
  /** Null if the receiver accepted the event. */
  readonly error: string | null;
}

/** An event that was sent to a webhook, or has to be sent again. */
export interface Delivery {
  /** The position of the event. */
  readonly position: number;
  readonly type: string;
  readonly subjectId: number;
  readonly state: DeliveryState;
  /** The last attempts, oldest first. */
  readonly attempts: readonly DeliveryAttempt[];
  /** Failed attempts since the delivery began, or was requested again. */
  readonly failures: number;
  /** Null if no attempt is planned, or if an earlier event of the same subject comes first. */
  readonly nextAttemptAt: number | null;
}

/** The events of a time range to send again: at or after `from`, and before `to`, in milliseconds since 1970. */
export interface Replay {
  readonly from: number;
  readonly to: number;
  /** The position of the last event that was taken; null before the first one. */
  readonly after: number | null;
}

/** What there is to do for a webhook, apart from new events. */
export interface WebhookWork {
  readonly webhookId: number;
  /** When the next retry is due; null if none is planned. */
  readonly nextAttemptAt: number | null;
  /** The node that delivers; null if none does. */
  readonly node: string | null;
  /** Nothing is sent until then: the receiver asked for it, or does not accept connections. */
  readonly pausedUntil: number;
  readonly replay: Replay | null;
}

/** What a node records about the deliveries of one webhook. */
export interface DeliveryReport {
  readonly webhookId: number;
  readonly deliveries: readonly Delivery[];
  /** The position that the node recorded last, or began with. */
  readonly knownPosition: number;
  /** Every event up to this position is delivered or recorded. */
  readonly position: number;
  readonly failingSince: number | null;
  readonly pausedUntil: number;
  /** How far the replay is; undefined if there is none. */
  readonly replay: (Replay & { readonly finished: boolean }) | undefined;
}

/** Finished deliveries to keep per webhook. */
export interface DeliveryRetention {
  /** Attempted at or after this time, in milliseconds since 1970. */
  readonly since: number;
  readonly max: number;
}

/**
 * Deliveries to webhooks, with the guarantees of `Store`. One node at a time delivers to a webhook: the database leases the webhook
 * to it for a few seconds, by the clock of the database.
 */
export interface DeliveryStore {
  /** The work for each webhook that was ever leased or replayed, and is not deleted. */
  listWork(): MaybePromise<readonly WebhookWork[]>;

  /** Takes the leases that no other node has, and renews those of this node. Returns the ids of the webhooks that it has now. */
  lease(webhookIds: readonly number[], node: string, forMs: number): Promise<readonly number[]>;
  release(webhookIds: readonly number[], node: string): Promise<void>;

  /** The waiting deliveries of a webhook, and all after this position, by position. */
  listOpen(webhookId: number, after: number): MaybePromise<readonly Delivery[]>;

  /**
   * Records the reports of different webhooks together, and renews their leases. Returns the ids of the webhooks whose report is
   * recorded. For the others, the node no longer has the lease, or the owner has activated the webhook at a later position. Of a webhook
   * that is not active, waiting deliveries are not recorded.
   */
  record(reports: readonly DeliveryReport[], node: string, forMs: number): Promise<readonly number[]>;

  /** Deliveries of events before this position, newest first. */
  list(webhookId: number, before: number | undefined, limit: number): MaybePromise<readonly Delivery[]>;

  /** Makes a delivery due now. Returns it; undefined if it does not exist. */
  resend(webhookId: number, position: number, now: number): Promise<Delivery | undefined>;

  /** Replaces a replay that has not finished. */
  replay(webhookId: number, replay: Replay): Promise<void>;

  /** Removes old finished deliveries, and returns their number. */
  removeOldest(webhookId: number, retention: DeliveryRetention): Promise<number>;

  /** Number of waiting deliveries. */
  countWaiting(): MaybePromise<number>;
}
