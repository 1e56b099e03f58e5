import { filterLimits } from "../listing.ts";

/** Why the service has disabled a webhook. */
export const disabledReasons = ["gone", "failing", "restored"] as const;
export type DisabledReason = (typeof disabledReasons)[number];

export const webhookLimits = {
  webhooks: 100,
  urlCharacters: 2048,
  /** Patterns of event types, such as `user.*`. */
  types: 50,
  descriptionCharacters: 500,
  filterCharacters: filterLimits.characters,
  /** How long the previous secret also signs deliveries, after a rotation. */
  rotationHours: 24,
  /** For how many hours attempts are counted. */
  attemptHours: 720,
} as const;

/** The fields that callers write. */
export const webhookFields = ["url", "types", "description", "active", "filter"] as const;
