export type UserEventType =
  | "user.created"
  | "user.updated"
  | "user.deleted"
  | "user.restored"
  | "user.purged";
export type KeyEventType = "key.created" | "key.replaced" | "key.revoked";
export type WebhookEventType = "webhook.created" | "webhook.updated" | "webhook.deleted" | "webhook.disabled";
export type SchemaEventType = "schema.updated";

/** A type of event, or all types of a subject. */
export type EventTypeFilter =
  | UserEventType
  | KeyEventType
  | WebhookEventType
  | SchemaEventType
  | `${"user" | "key" | "webhook" | "schema"}.*`;
