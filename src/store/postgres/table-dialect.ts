import {
  appendPostgresEvents,
  countPostgresEventBytes,
  FIND_UNPUBLISHED,
  MAX_PUBLISHED,
  PUBLISH_ALL,
  PUBLISH_SOME,
  TRY_PUBLISH_SOME,
  TRY_REMOVE_EVENTS,
} from "../events/postgres-events.ts";
import { openTables } from "../open-tables.ts";
import type { TableDialect } from "../sql/table-dialect.ts";
import { STORE_RESPONSES } from "./response-lock.ts";
import { CHANGE_SCHEMA, LOCK_SCHEMA } from "./schema-lock.ts";

export const postgresTableDialect: TableDialect = {
  schema: "roster.",
  state: "roster.about",
  now: "(extract(epoch FROM clock_timestamp()) * 1000)::bigint",
  elements: "json_array_elements(?::text::json)",
  lockRows: "FOR UPDATE",
  hasRoundTrips: true,
  countRows: (table) => `SELECT sum(${table}) FROM roster.user_counts`,
  nextId: (resource) => `SELECT nextval('roster.${resource}_ids')`,
  lastId: (resource) => `SELECT coalesce(pg_sequence_last_value('roster.${resource}_ids'), 0)`,
  appendEvent: (event) => appendPostgresEvents([event]),
  publishing: {
    find: FIND_UNPUBLISHED,
    some: PUBLISH_SOME,
    trySome: TRY_PUBLISH_SOME,
    most: MAX_PUBLISHED,
    all: PUBLISH_ALL,
  },
  locks: {
    // No node sees a change of keys before one with a lower number.
    keysAndWebhooks: "SELECT 1 FROM roster.about FOR UPDATE",
    schema: LOCK_SCHEMA,
    schemaChange: CHANGE_SCHEMA,
    storeResponses: STORE_RESPONSES,
    tryRemoveEvents: TRY_REMOVE_EVENTS,
  },
  countEventBytes: countPostgresEventBytes,
};

export const postgresTables = openTables(postgresTableDialect);
