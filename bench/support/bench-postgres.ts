import { SQL } from "bun";
import { parseDatabase } from "../../src/config/database-url.ts";
import { defaultRecordRules } from "../../src/domain/users/record-rules.ts";
import { openStore } from "../../src/store/open-store.ts";
import { type Postgres, startPostgres } from "../../test/support/postgres/server.ts";
import { runSeed } from "./child-server.ts";
import { fillStore } from "./fill-store.ts";
import { readTreeCpuSeconds } from "./process-usage.ts";
import { sampleUser, type UserSource } from "./sample-users.ts";

/** Larger than the service's batches: no caller waits. */
const BATCH = 2000;

/** Settings of a small dedicated server. All others keep PostgreSQL's defaults. */
const settings = {
  shared_buffers: "512MB",
  max_wal_size: "4GB",
  fsync: "on",
  synchronous_commit: "on",
};

/** A PostgreSQL server for one run. Disposing of it stops it and deletes its data. */
export class BenchPostgres implements AsyncDisposable {
  private constructor(readonly server: Postgres) {}

  static async start(): Promise<BenchPostgres> {
    return new BenchPostgres(await startPostgres({ durable: true, settings }));
  }

  url(database?: string): string {
    return this.server.url(database);
  }

  /** Runs a statement on a new connection. */
  async query(statement: string, database?: string): Promise<unknown[][]> {
    const sql = new SQL(this.url(database), { max: 1 });
    try {
      return await sql.unsafe(statement).values();
    } finally {
      await sql.close();
    }
  }

  /** How many bytes the server has written to its WAL so far. */
  async walBytes(): Promise<number> {
    const [row] = await this.query("SELECT pg_current_wal_lsn() - '0/0'");
    return Number(row?.[0]);
  }

  /** Adds the CPU time per request of all PostgreSQL processes to a report. */
  async measure<Report extends { readonly requests: number }>(
    work: () => Promise<Report>,
  ): Promise<Report & { readonly postgresMicros: number }> {
    const before = readTreeCpuSeconds(this.server.pid);
    const report = await work();
    const seconds = readTreeCpuSeconds(this.server.pid) - before;
    return { ...report, postgresMicros: (seconds * 1e6) / report.requests };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server.destroy();
  }
}

/** Starts a server with the users 1 to `users`, vacuumed and analyzed as autovacuum would. */
export function startFilledPostgres(users: number, source?: UserSource): Promise<BenchPostgres> {
  return startPostgresWith((url) => createSchema(url, users, source));
}

/** The same with the users of `roster seed`. */
export function startSeededPostgres(users: number): Promise<BenchPostgres> {
  return startPostgresWith((url) => runSeed(users, url));
}

async function startPostgresWith(fill: (url: string) => Promise<void>): Promise<BenchPostgres> {
  const postgres = await BenchPostgres.start();
  try {
    await fill(postgres.url());
    await postgres.query("VACUUM (ANALYZE)");
    await postgres.query("CHECKPOINT");
    return postgres;
  } catch (error) {
    await postgres[Symbol.asyncDispose]();
    throw error;
  }
}

/** Creates Roster's schema in an empty database, and users in it. */
export async function createSchema(url: string, users = 0, source: UserSource = sampleUser): Promise<void> {
  const options = {
    ...{ batch: BATCH, queue: BATCH, waitMs: 60_000, recordRules: defaultRecordRules },
    ...{ pool: 3, dedicatedSessions: true, migrate: true },
  };
  const store = await openStore(parseDatabase(url), options, { committed: () => {} });
  try {
    await fillStore(store, { users, batch: BATCH, source });
  } finally {
    await store.close();
  }
}
