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
  /**
   * A checksum of everything that the request was built from, except the event: a request that is built again from the same has the same
   * bytes. Attempts of early versions have none.
   */
  readonly builtFrom?: number;
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

/** The first bytes of a response, as text. */
export interface DeliveryResponse {
  /** When the attempt began, in milliseconds since 1970. */
  readonly time: number;
  readonly body: string;
  /** Whether the response had more. */
  readonly isCut: boolean;
}

/** Attempts that began in an hour. */
export interface HourlyAttempts {
  /** Hours since 1970. */
  readonly hour: number;
  readonly accepted: number;
  readonly failed: number;
}

/** Which deliveries to list, newest events first. */
export interface DeliveryQuery {
  /** Of events before this position. */
  readonly before?: number | undefined;
  readonly state?: DeliveryState | undefined;
  readonly limit: number;
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

/** A delivery after an attempt, with the response to store, which replaces an earlier one. */
export interface DeliveryResult extends Delivery {
  readonly response?: DeliveryResponse;
}

/** What a node records about the deliveries of one webhook. */
export interface DeliveryReport {
  readonly webhookId: number;
  readonly deliveries: readonly DeliveryResult[];
  /** Attempts since the last report. */
  readonly attempts: readonly HourlyAttempts[];
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
   * that is not active, waiting deliveries are not recorded. A response is stored only with its delivery, and only while the user of the
   * event is not purged.
   */
  record(reports: readonly DeliveryReport[], node: string, forMs: number): Promise<readonly number[]>;

  list(webhookId: number, query: DeliveryQuery): MaybePromise<readonly Delivery[]>;

  read(webhookId: number, position: number): MaybePromise<Delivery | undefined>;

  /** The last stored response to a delivery. The purge of a user removes the responses to its events. */
  readResponse(webhookId: number, position: number): MaybePromise<DeliveryResponse | undefined>;

  /** The hours with attempts, from this one. */
  readAttempts(webhookId: number, fromHour: number): MaybePromise<readonly HourlyAttempts[]>;

  /** Removes some of the counts of attempts before this hour, and returns their number. */
  removeAttempts(beforeHour: number): Promise<number>;

  /**
   * Makes a delivery due now. If an earlier one of the same subject waits, that one becomes due, and this one follows it. Returns the
   * delivery; undefined if it does not exist.
   */
  resend(webhookId: number, position: number, now: number): Promise<Delivery | undefined>;

  /** Replaces a replay that has not finished. */
  replay(webhookId: number, replay: Replay): Promise<void>;

  /** Removes old finished deliveries, and returns their number. */
  removeOldest(webhookId: number, retention: DeliveryRetention): Promise<number>;

  /** Number of waiting deliveries. */
  countWaiting(): MaybePromise<number>;
}
