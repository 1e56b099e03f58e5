import { appendPostgresEvent } from "../events/postgres-events.ts";
import { SchemaTables } from "../schema/schema-tables.ts";
import { CHANGE_SCHEMA, LOCK_SCHEMA } from "./schema-lock.ts";

export const postgresSchema = new SchemaTables({
  schema: "roster.",
  state: "roster.about",
  clock: "(extract(epoch FROM clock_timestamp()) * 1000)::bigint",
  lock: LOCK_SCHEMA,
  lockForChange: CHANGE_SCHEMA,
  appendEvent: appendPostgresEvent,
});
