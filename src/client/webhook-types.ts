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
