import type { Store, StoreObserver } from "../../../src/domain/store.ts";
import { defaultRecordRules } from "../../../src/domain/users/record-rules.ts";
import { Connections } from "../../../src/store/postgres/connections.ts";
import { openPostgresStore, type PostgresStoreOptions } from "../../../src/store/postgres/postgres-store.ts";
import { sqliteDialect } from "../../../src/store/sqlite/dialect.ts";
import type { SimulatedProcess } from "../simulated-process.ts";
import { openSimulatedPool } from "./pool.ts";
import type { PostgresServer } from "./server.ts";
import { simulatedTables } from "./table-statements.ts";

type Options = Pick<PostgresStoreOptions, "waitMs" | "batch" | "queue" | "pool" | "recordRules"> & {
  readonly maxCandidates?: number | undefined;
  readonly observer: StoreObserver;
};

const defaults: Options = {
  waitMs: 5000,
  batch: 512,
  queue: 10_000,
  pool: 6,
  recordRules: defaultRecordRules,
  observer: { committed: () => undefined },
};

/** Opens the store of a process on a simulated server, as a service does. */
export async function openSimulatedPostgres(
  server: PostgresServer,
  process: SimulatedProcess,
  changes: Partial<Options> = {},
): Promise<Store> {
  const { observer, maxCandidates, ...rest } = { ...defaults, ...changes };
  const options: PostgresStoreOptions = {
    ...rest,
    ...(maxCandidates !== undefined && { maxCandidates }),
    clock: process.clock,
    database: {
      engine: "postgres",
      urls: ["postgres://simulated"],
      name: "simulated",
      readWrite: true,
      tls: undefined,
      displayName: "simulated",
    },
    dedicatedSessions: true,
    openPool: (_, pool) => openSimulatedPool(server, process, pool),
    sql: { tables: simulatedTables, lists: sqliteDialect },
  };
  return openPostgresStore(await Connections.open(options), options, observer);
}
