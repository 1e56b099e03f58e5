import { SQL } from "bun";
import { parseDatabase } from "../../src/config/database-url.ts";
import { defaultRecordRules } from "../../src/domain/record-rules.ts";
import { openStore } from "../../src/store/open-store.ts";
import { type Postgres, startPostgres } from "../../test/support/postgres/server.ts";
import { fillStore } from "./fill-store.ts";
import { familyCpuSeconds } from "./process-usage.ts";

/** Larger than the service's own batches, for there is nobody who waits. */
const BATCH = 2000;

/** What a small server of its own would be given; the rest is as PostgreSQL comes. */
const settings = {
  shared_buffers: "512MB",
  max_wal_size: "4GB",
  fsync: "on",
  synchronous_commit: "on",
};

/** A PostgreSQL for one run. Disposing of it removes it and its data. */
export class BenchPostgres implements AsyncDisposable {
  private constructor(readonly server: Postgres) {}

  static async start(): Promise<BenchPostgres> {
    return new BenchPostgres(await startPostgres({ durable: true, settings }));
  }

  url(database?: string): string {
    return this.server.url(database);
  }

  /** What a statement answers, on a connection of its own. */
  async ask(statement: string, database?: string): Promise<unknown[][]> {
    const sql = new SQL(this.url(database), { max: 1 });
    try {
      return await sql.unsafe(statement).values();
    } finally {
      await sql.close();
    }
  }

  /** Adds to a report what PostgreSQL's processes have used of the CPU meanwhile, a request. */
  async measure<Report extends { readonly requests: number }>(
    work: () => Promise<Report>,
  ): Promise<Report & { readonly postgresMicros: number }> {
    const before = familyCpuSeconds(this.server.pid);
    const report = await work();
    const seconds = familyCpuSeconds(this.server.pid) - before;
    return { ...report, postgresMicros: (seconds * 1e6) / report.requests };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server.destroy();
  }
}

/** A server whose first database holds the users 1 to `users`, tidied up as it would be after a while. */
export async function startPostgresWith(users: number): Promise<BenchPostgres> {
  const postgres = await BenchPostgres.start();
  try {
    await makeSchema(postgres.url(), users);
    await postgres.ask("VACUUM (ANALYZE)");
    await postgres.ask("CHECKPOINT");
    return postgres;
  } catch (error) {
    await postgres[Symbol.asyncDispose]();
    throw error;
  }
}

/** Makes Roster's tables in an empty database, and the users in them. */
export async function makeSchema(url: string, users = 0): Promise<void> {
  const options = {
    ...{ batch: BATCH, queue: BATCH, waitMs: 60_000, recordRules: defaultRecordRules },
    ...{ pool: 3, sessions: true, migrate: true },
  };
  const store = await openStore(parseDatabase(url), options, { committed: () => {} });
  try {
    await fillStore(store, users, BATCH);
  } finally {
    await store.close();
  }
}
