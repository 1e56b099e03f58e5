import type { Origin } from "../../domain/caller.ts";
import { describeChanges, type EventDraft } from "../../domain/events/event.ts";
import { webhookRecord } from "../../domain/webhooks/webhook-record.ts";
import type { StoredWebhook } from "../../domain/webhooks/webhook-store.ts";

export function webhookCreated(webhook: StoredWebhook, by: Origin): EventDraft {
  return draft("webhook.created", webhook, "{}", by);
}

export function webhookDeleted(webhook: StoredWebhook, by: Origin): EventDraft {
  return draft("webhook.deleted", webhook, "{}", by);
}

export function webhookChanged(
  type: "webhook.updated" | "webhook.disabled",
  before: StoredWebhook,
  after: StoredWebhook,
  by: Origin,
): EventDraft {
  return draft(type, after, describeChanges(changeable(before), changeable(after)), by);
}

function changeable(webhook: StoredWebhook) {
  const { version, updatedAt, ...fields } = webhookRecord(webhook);
  return fields;
}

function draft(type: EventDraft["type"], webhook: StoredWebhook, changes: string, by: Origin): EventDraft {
  const record = webhookRecord(webhook);
  return {
    type,
    subjectId: webhook.id,
    version: webhook.version,
    by,
    changes,
    record: JSON.stringify(record),
  };
}
