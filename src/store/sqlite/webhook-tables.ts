import type { Database } from "bun:sqlite";
import { COMMAND_ACTOR } from "../../domain/caller.ts";
import { appendSqliteEvent } from "../events/sqlite-events.ts";
import type { SqlValue } from "../sql/sql.ts";
import { runSteps } from "../sql/sql-steps.ts";
import { WebhookTables } from "../webhooks/webhook-tables.ts";

/** No lock: SQLite has one writer at a time. */
export const sqliteWebhooks = new WebhookTables({
  schema: "",
  lock: undefined,
  nextId: "UPDATE directory SET last_webhook_id = last_webhook_id + 1 RETURNING last_webhook_id",
  appendEvent: appendSqliteEvent,
});

/** Disables every webhook of a restored file. */
export function disableWebhooks(db: Database): void {
  const steps = sqliteWebhooks.disableAll("restored", { actor: COMMAND_ACTOR });
  runSteps(steps, ({ text, values }) => db.query<unknown, SqlValue[]>(text).values(...values));
}
