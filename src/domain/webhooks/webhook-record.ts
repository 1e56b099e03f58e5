import { toText } from "../keys/key-record.ts";
import type { StoredWebhook } from "./webhook-store.ts";

/** The webhook without its secrets, as callers and events see it. */
export function webhookRecord(webhook: StoredWebhook) {
  const { id, url, types, description, filter, active, disabledReason, version } = webhook;
  return {
    id,
    url,
    types: [...types],
    description,
    filter,
    active,
    disabledReason,
    failingSince: toText(webhook.failingSince),
    previousSecretUntil: toText(webhook.previousSecretUntil),
    version,
    createdAt: new Date(webhook.createdAt).toISOString(),
    updatedAt: new Date(webhook.updatedAt).toISOString(),
  };
}
