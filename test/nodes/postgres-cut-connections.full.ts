import { afterAll, expect, test } from "bun:test";
import { SQL } from "bun";
import { findPostgresCorruption } from "../support/consistency/postgres-corruption.ts";
import { timeToServe } from "../support/consistency/time-to-serve.ts";
import { Workload } from "../support/consistency/workload.ts";
import { freshDatabase, startPostgresBeforeTests } from "../support/postgres/fresh-database.ts";
import { startRoster, stopAll } from "../support/process/roster.ts";
import { timeLimit } from "../support/time-limit.ts";

startPostgresBeforeTests();
afterAll(stopAll);

/** For a long run that prints its counts: `FAULT_ROUNDS=50 npm test postgres-cut`. */
const roundsSetting = process.env.FAULT_ROUNDS;
const seconds = Number(roundsSetting ?? 1) * 2.5;
const WAIT_MS = 3000;
/** Enough to be meaningful. A busy machine takes longer to get there. */
const LEAST_WRITES = 50;

test(
  "cutting connections repeatedly loses no write, duplicates none, and causes no error for callers that retry",
  async () => {
    const { url, drop } = await freshDatabase();
    const roster = await startRoster(url, { flags: [`--database-wait=${WAIT_MS}`] });
    const limits = { service: roster, withinMs: timeLimit(WAIT_MS + 1500) };
    const load = new Workload({ ports: () => [roster.port], withinMs: limits.withinMs });
    await load.prepare();
    load.start();
    const end = performance.now() + seconds * 1000;
    const cuts = await cutWhile(
      () => performance.now() < end || load.counts.acknowledged <= LEAST_WRITES,
      url,
    );
    const backMs = await timeToServe(limits);
    await load.stop();
    expect(await load.findErrors([roster], (users) => findPostgresCorruption(url, users))).toEqual([]);
    const { reads, unavailableReads } = load.history.counts;
    if (roundsSetting) console.log({ seconds, cuts, backMs, ...load.counts, ...load.history.counts });
    expect(load.counts.acknowledged).toBeGreaterThan(LEAST_WRITES);
    expect(unavailableReads).toBeLessThan(reads / 20);
    await drop();
  },
  120_000 + seconds * 2000,
);

/** Terminates all other connections to the database every 50 ms and returns their number. */
async function cutWhile(isRunning: () => boolean, url: string): Promise<number> {
  const sql = new SQL(url, { max: 1 });
  let cuts = 0;
  try {
    while (isRunning()) {
      const cut = await sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                            WHERE datname = current_database() AND pid <> pg_backend_pid()`;
      cuts += cut.length;
      await Bun.sleep(50);
    }
    return cuts;
  } finally {
    await sql.close();
  }
}
