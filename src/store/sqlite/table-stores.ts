import type { EventStore } from "../../domain/events/event-store.ts";
import { sqliteEvents } from "../events/sqlite-events.ts";
import { SqlKeyStore } from "../keys/sql-key-store.ts";
import { SqlSchemaStore } from "../schema/sql-schema-store.ts";
import type { ReadQueries } from "../sql/table-queries.ts";
import type { TableStores } from "../table-stores.ts";
import { sqliteDeletedUsers } from "../users/deleted-user-tables.ts";
import { SqlDeletedUsers } from "../users/sql-deleted-users.ts";
import { sqliteStats } from "../users/stats-tables.ts";
import type { UserWrites } from "../users/user-writes.ts";
import { SqlDeliveryStore } from "../webhooks/sql-delivery-store.ts";
import { SqlWebhookStore } from "../webhooks/sql-webhook-store.ts";
import { sqliteDeliveries } from "../webhooks/sqlite-deliveries.ts";
import { sqliteKeys } from "./key-tables.ts";
import { sqliteSchema } from "./schema-tables.ts";
import type { StoreThreads } from "./store-threads.ts";
import { sqliteWebhooks } from "./webhook-tables.ts";

const MAX_EVENTS_ON_MAIN_THREAD = 20;

/** Opens the stores of all tables beside the users. `read` runs on the main thread. */
export function openTableStores(
  read: ReadQueries["read"],
  threads: StoreThreads,
  writes: UserWrites,
): TableStores {
  return {
    keys: new SqlKeyStore(sqliteKeys, {
      read,
      write: async (write) => (await threads.requestWriter({ kind: "keys", write })).outcome,
    }),
    webhooks: new SqlWebhookStore(sqliteWebhooks, {
      read,
      write: async (write) => (await threads.requestWriter({ kind: "webhooks", write })).webhook,
    }),
    deliveries: new SqlDeliveryStore(sqliteDeliveries, {
      read,
      write: async (write) => (await threads.requestWriter({ kind: "deliveries", write })).outcome,
    }),
    schema: new SqlSchemaStore(sqliteSchema, {
      read,
      write: async (write) => (await threads.requestWriter({ kind: "schema", write })).outcome,
      checkUsers: async (json, after, limit) =>
        (await threads.requestReader({ kind: "check-users", json, after, limit })).checked,
      compareValues: async (field, after) =>
        (await threads.requestReader({ kind: "compare-values", field, after })).step,
    }),
    events: openEvents(read, threads),
    deletedUsers: new SqlDeletedUsers(
      sqliteDeletedUsers,
      sqliteEvents,
      {
        read,
        page: async (query) => (await threads.requestReader({ kind: "deleted-users", query })).page,
        eraseEvents: async (range) => {
          await threads.requestWriter({ kind: "erase-events", range });
        },
      },
      writes,
    ),
    statistics: { readUsers: (from) => read(() => sqliteStats.readUsers(from)) },
  };
}

/** Short pages that an index answers are read on the main thread. */
function openEvents(read: ReadQueries["read"], threads: StoreThreads): EventStore {
  return {
    read: (query) => {
      const { types, actor, limit } = query;
      return types === undefined && actor === undefined && limit <= MAX_EVENTS_ON_MAIN_THREAD
        ? read(() => sqliteEvents.read(query))
        : threads.requestReader({ kind: "events", query }).then(({ page }) => page);
    },
    readLines: async (query) => (await threads.requestReader({ kind: "event-lines", query })).lines,
    last: () => read(() => sqliteEvents.last()),
    bytes: () => read(() => sqliteEvents.bytes()),
    // Every file has counted from its beginning.
    countBytes: async () => 0,
    removeOldest: async (retention) =>
      (await threads.requestWriter({ kind: "remove-events", retention })).removed,
  };
}
