import { appendPostgresEvent } from "../events/postgres-events.ts";
import { WebhookTables } from "../webhooks/webhook-tables.ts";

export const postgresWebhooks = new WebhookTables({
  schema: "roster.",
  lock: "SELECT 1 FROM roster.about FOR UPDATE",
  nextId: "SELECT nextval('roster.webhook_ids')",
  appendEvent: appendPostgresEvent,
});
