import type { DisabledReason } from "../../contract/webhooks/webhook.ts";
import type { Origin } from "../caller.ts";
import type { MaybePromise } from "../maybe-promise.ts";
import type { Precondition } from "../precondition.ts";

/** What callers can change. */
export interface WebhookSettings {
  readonly url: string;
  /** Patterns of event types: `user.created`, `user.*` or `*`. */
  readonly types: readonly string[];
  readonly description: string;
  /** A filter expression on the record of an event. Null for all events. */
  readonly filter: string | null;
  readonly active: boolean;
}

export interface WebhookDraft extends WebhookSettings {
  readonly secret: string;
}

/** A stored webhook. Times are in milliseconds since 1970. */
export interface StoredWebhook extends WebhookDraft {
  readonly id: number;
  readonly previousSecret: string | null;
  /** Until then, deliveries are also signed with the previous secret. */
  readonly previousSecretUntil: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly version: number;
  /** Events after this position are still to be delivered. Changes without a new version. */
  readonly position: number;
  /** Every delivery since this time has failed; null if the last one succeeded. Changes without a new version. */
  readonly failingSince: number | null;
  /** Why the service disabled it; null if it did not. */
  readonly disabledReason: DisabledReason | null;
}

/**
 * Storage for webhooks, with the guarantees of `Store`. Every change appends its event, which never has a secret. Changes fail with
 * `webhook-not-found`.
 */
export interface WebhookStore {
  /** Webhooks with an id greater than `after`, by id. */
  list(after: number, limit: number): MaybePromise<readonly StoredWebhook[]>;
  read(id: number): MaybePromise<StoredWebhook | undefined>;

  /** The position is that of its own event. Fails with `invalid-webhook` if there are too many webhooks. */
  create(draft: WebhookDraft, by: Origin): Promise<StoredWebhook>;

  /**
   * A change to the current settings keeps the version. Activating a webhook ends its failure, and moves its position to its own
   * event. Fails with `version-mismatch` or `precondition-failed`.
   */
  update(
    id: number,
    change: Partial<WebhookSettings>,
    precondition: Precondition | undefined,
    by: Origin,
  ): Promise<StoredWebhook>;

  /** Fails with `version-mismatch` or `precondition-failed`. The id is never reused. */
  remove(id: number, precondition: Precondition | undefined, by: Origin): Promise<void>;

  /** The current secret becomes the previous one, until this time. Fails with `version-mismatch` or `precondition-failed`. */
  rotate(
    id: number,
    secret: string,
    previousSecretUntil: number,
    precondition: Precondition | undefined,
    by: Origin,
  ): Promise<StoredWebhook>;

  /** Sets `active` to false. Returns false if the webhook does not exist, or was not active. */
  disable(id: number, reason: DisabledReason, by: Origin): Promise<boolean>;
}
