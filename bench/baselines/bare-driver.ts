/**
 * Baseline: reads random users with Bun's PostgreSQL driver, without a service. Receives a number of seconds as a message
 * and replies with a report. Exits with its parent.
 */
import { SQL } from "bun";
import { percentile } from "../support/statistics.ts";
import type { DriverOptions, DriverReport } from "./driver-report.ts";

const options: DriverOptions = JSON.parse(process.argv[2] ?? "{}");
const { url, users, usersPerStatement, connections, concurrentStatements } = options;
const sql = new SQL(url, { max: connections });

const randomId = () => 1 + Math.floor(Math.random() * users);

/** Returns the number of users found. */
async function readOne(): Promise<number> {
  const rows = await sql`SELECT version, json FROM roster.users WHERE id = ${randomId()}`;
  return rows.length;
}

/** Runs the same statement as the service. */
async function readMany(): Promise<number> {
  const ids = new Set<number>();
  while (ids.size < usersPerStatement) ids.add(randomId());
  const statement = "SELECT id, version, json FROM roster.users WHERE id = ANY($1::bigint[])";
  const rows = await sql.unsafe(statement, [`{${[...ids].join()}}`]).values();
  return rows.length;
}

async function run(seconds: number): Promise<DriverReport> {
  const latencies: number[] = [];
  const read = usersPerStatement === 1 ? readOne : readMany;
  let found = 0;
  const start = performance.now();
  const deadline = start + seconds * 1000;
  const keepReading = async () => {
    for (let now = performance.now(); now < deadline; ) {
      const since = now;
      const count = await read();
      found += count;
      now = performance.now();
      latencies.push(now - since);
    }
  };
  await Promise.all(Array.from({ length: concurrentStatements }, keepReading));
  const requests = latencies.length * usersPerStatement;
  return {
    requests,
    errors: requests - found,
    rate: (requests * 1000) / (performance.now() - start),
    p50Ms: percentile(latencies, 0.5),
    p99Ms: percentile(latencies, 0.99),
  };
}

process.on("message", async (seconds) => {
  process.send?.(await run(Number(seconds)));
});
process.once("disconnect", () => process.exit());
