import { runInTurns } from "../../domain/scheduling/steps.ts";
import { countPostgresEventBytes, postgresEvents } from "../events/postgres-events.ts";
import { SqlKeyStore } from "../keys/sql-key-store.ts";
import { SqlSchemaStore } from "../schema/sql-schema-store.ts";
import { UserChecker } from "../schema/user-checker.ts";
import type { SqlSteps } from "../sql/sql-steps.ts";
import type { ReadQueries } from "../sql/table-queries.ts";
import type { TableStores } from "../table-stores.ts";
import { postgresDeletedUsers } from "../users/deleted-user-tables.ts";
import { SqlDeletedUsers } from "../users/sql-deleted-users.ts";
import { postgresStats } from "../users/stats-tables.ts";
import type { UserWrites } from "../users/user-writes.ts";
import { postgresDeliveries } from "../webhooks/postgres-deliveries.ts";
import { SqlDeliveryStore } from "../webhooks/sql-delivery-store.ts";
import { SqlWebhookStore } from "../webhooks/sql-webhook-store.ts";
import type { Connections } from "./connections.ts";
import { commitInDoubt } from "./error-codes.ts";
import { postgresKeys } from "./key-tables.ts";
import { postgresSchema } from "./schema-tables.ts";
import { runInSnapshot, runInTransaction, runStatements } from "./snapshot.ts";
import { postgresWebhooks } from "./webhook-tables.ts";

/** Opens the stores of all tables beside the users. */
export function openTableStores(connections: Connections, writes: UserWrites): TableStores {
  const read: ReadQueries["read"] = (steps) => connections.read((sql) => runStatements(sql, steps()));
  /** Like `read`, for work that takes longer. */
  const readReserved = <T>(steps: () => SqlSteps<T>) =>
    connections.withReserved((sql) => runStatements(sql, steps()));
  const transact = async <T>(steps: () => SqlSteps<T>): Promise<T> => {
    const state = { inDoubt: false };
    try {
      return await connections.withReserved((sql, leftMs) => runInTransaction(sql, steps(), leftMs, state));
    } catch (error) {
      throw state.inDoubt ? commitInDoubt(error) : error;
    }
  };
  const checker = new UserChecker();
  return {
    keys: new SqlKeyStore(postgresKeys, {
      read,
      write: (write) => transact(() => postgresKeys.write(write)),
    }),
    webhooks: new SqlWebhookStore(postgresWebhooks, {
      read,
      write: (write) => transact(() => postgresWebhooks.write(write)),
    }),
    deliveries: new SqlDeliveryStore(postgresDeliveries, {
      read,
      write: (write) => transact(() => postgresDeliveries.write(write)),
    }),
    schema: new SqlSchemaStore(postgresSchema, {
      read,
      write: (write) => transact(() => postgresSchema.write(write)),
      checkUsers: async (json, after, limit) => {
        const users = await readReserved(() => postgresSchema.readUsers(after, limit));
        return runInTurns(checker.check(json, users, limit));
      },
      compareValues: (field, after) => {
        const { dedicatedSessions } = connections.options;
        return connections.withReserved((sql) =>
          runInSnapshot(sql, dedicatedSessions, postgresSchema.compareValues(field, after)),
        );
      },
    }),
    events: {
      read: (query) => readReserved(() => postgresEvents.read(query)),
      readLines: (query) => readReserved(() => postgresEvents.readLines(query)),
      last: () => read(() => postgresEvents.last()),
      bytes: () => read(() => postgresEvents.bytes()),
      countBytes: () => transact(countPostgresEventBytes),
      removeOldest: (retention) => transact(() => postgresEvents.removeOldest(retention)),
    },
    deletedUsers: new SqlDeletedUsers(
      postgresDeletedUsers,
      postgresEvents,
      {
        read,
        page: (query) => readReserved(() => postgresDeletedUsers.page(query)),
        eraseEvents: (range) => transact(() => postgresEvents.erase(range)),
      },
      writes,
    ),
    statistics: { readUsers: (from) => read(() => postgresStats.readUsers(from)) },
  };
}
