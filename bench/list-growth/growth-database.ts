import { readFileSync, statSync } from "node:fs";
import type { SQL } from "bun";
import { parseDatabase } from "../../src/config/database-url.ts";
import type { Store } from "../../src/domain/store.ts";
import { defaultRecordRules } from "../../src/domain/users/record-rules.ts";
import { openStore } from "../../src/store/open-store.ts";
import { Connections } from "../../src/store/postgres/connections.ts";
import { connect } from "../../src/store/sqlite/database.ts";
import { Reader } from "../../src/store/sqlite/reader.ts";
import { type PlanFinder, postgresPlanFinder, sqlitePlanFinder } from "../list-plans/plan-finder.ts";
import { startSeededPostgres } from "../support/bench-postgres.ts";
import { startCpuMeter, startOwnCpuMeter } from "../support/cpu-meter.ts";
import { rosterSeededDatabase } from "../support/seeded-database.ts";

const WAIT_MS = 60_000;
/** Nothing is written: an outdated schema is rejected, not migrated. */
const storeOptions = {
  ...{ batch: 1, queue: 1, waitMs: WAIT_MS, recordRules: defaultRecordRules },
  ...{ pool: 3, dedicatedSessions: true, migrate: false },
};

/** A database with the users of `roster seed`, to read lists from. */
export interface GrowthDatabase extends AsyncDisposable {
  readonly store: Store;
  readonly finder: PlanFinder;
  /** Whether the CPU time includes that of the database's processes. SQLite has none. */
  readonly countsServer: boolean;
  /** Returns a function that returns the CPU time since this call, in microseconds. */
  startCpuMeter(): () => number;
  /** The size on disk. */
  readBytes(): Promise<number>;
}

/** Opens databases of one engine. */
export interface GrowthEngine {
  readonly name: "SQLite" | "PostgreSQL";
  /** A database with this many users, which the benchmark creates if none exists. */
  create(users: number): Promise<GrowthDatabase>;
  /** A database that exists: a path, or a URL. */
  open(database: string): Promise<GrowthDatabase>;
}

export const sqliteGrowth: GrowthEngine = {
  name: "SQLite",
  create: async (users) => openSqlite(await rosterSeededDatabase(users)),
  open: openSqlite,
};

export const postgresGrowth: GrowthEngine = {
  name: "PostgreSQL",
  async create(users) {
    const postgres = await startSeededPostgres(users);
    const opened = await openPostgres(postgres.url());
    return {
      ...opened,
      async [Symbol.asyncDispose]() {
        await opened[Symbol.asyncDispose]();
        await postgres[Symbol.asyncDispose]();
      },
    };
  },
  open: openPostgres,
};

async function openSqlite(text: string): Promise<GrowthDatabase> {
  const database = parseDatabase(text);
  if (database.engine !== "sqlite") throw new Error("BENCH_DATABASE is a URL: run pg-list-growth.");
  const { path } = database;
  const store = await openStore(database, storeOptions, { committed: () => {} });
  const db = connect(path, WAIT_MS);
  return {
    store,
    finder: sqlitePlanFinder(db, new Reader(db)),
    countsServer: true,
    startCpuMeter: startOwnCpuMeter,
    readBytes: async () => statSync(path).size,
    async [Symbol.asyncDispose]() {
      db.close();
      await store.close();
    },
  };
}

async function openPostgres(url: string): Promise<GrowthDatabase> {
  const database = parseDatabase(url);
  if (database.engine !== "postgres") throw new Error("BENCH_DATABASE is a path: run list-growth.");
  const store = await openStore(database, storeOptions, { committed: () => {} });
  const connections = await Connections.open({ ...storeOptions, database });
  const server = await connections.withSeparateConnection(findPostmaster);
  return {
    store,
    finder: postgresPlanFinder(connections),
    countsServer: server !== undefined,
    startCpuMeter() {
      const readServer = server === undefined ? () => 0 : startCpuMeter(server);
      const readOwn = startOwnCpuMeter();
      // This process first: to read the times of the server's processes takes time.
      return () => readOwn() + readServer();
    },
    readBytes: () =>
      connections.withSeparateConnection(async (sql) => {
        const [row] = await sql.unsafe("SELECT pg_database_size(current_database())").values();
        return Number(row?.[0]);
      }),
    async [Symbol.asyncDispose]() {
      await store.close();
      await connections.close();
    },
  };
}

/** The first process of the server, if the server runs on this machine. */
async function findPostmaster(sql: SQL): Promise<number | undefined> {
  const [row = []] = await sql.unsafe("SELECT pg_backend_pid(), inet_client_port()").values();
  const [pid, port] = row;
  const title = readIfExists(`/proc/${pid}/cmdline`);
  // Another machine can have a process of this number. The title of PostgreSQL's process has the port of its client.
  const client = port === null ? "[local]" : `(${port})`;
  if (!title?.startsWith("postgres:") || !title.includes(client)) return undefined;
  const parent = /^PPid:\s+(\d+)$/m.exec(readIfExists(`/proc/${pid}/status`) ?? "")?.[1];
  return parent === undefined ? undefined : Number(parent);
}

function readIfExists(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
