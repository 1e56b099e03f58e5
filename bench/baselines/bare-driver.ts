/**
 * Reads random users with Bun's driver and does nothing else: what PostgreSQL and the way to it cost, without a service.
 * It is told by message how many seconds to do it for, and answers with a report; it ends with its parent.
 */
import { SQL } from "bun";
import { percentile } from "../support/statistics.ts";
import type { DriverOptions, DriverReport } from "./bare-driver-process.ts";

const options: DriverOptions = JSON.parse(process.argv[2] ?? "{}");
const { url, users, together, connections, statements } = options;
const sql = new SQL(url, { max: connections });

const someone = () => 1 + Math.floor(Math.random() * users);

/** How many users were found. */
async function readOne(): Promise<number> {
  const rows = await sql`SELECT version, json FROM roster.users WHERE id = ${someone()}`;
  return rows.length;
}

/** The statement that the service sends. */
async function readTogether(): Promise<number> {
  const ids = new Set<number>();
  while (ids.size < together) ids.add(someone());
  const statement = "SELECT id, version, json FROM roster.users WHERE id = ANY($1::bigint[])";
  const rows = await sql.unsafe(statement, [`{${[...ids].join()}}`]).values();
  return rows.length;
}

async function run(seconds: number): Promise<DriverReport> {
  const latencies: number[] = [];
  const read = together === 1 ? readOne : readTogether;
  let found = 0;
  const start = performance.now();
  const deadline = start + seconds * 1000;
  const keepReading = async () => {
    for (let now = performance.now(); now < deadline; ) {
      const since = now;
      const some = await read();
      found += some;
      now = performance.now();
      latencies.push(now - since);
    }
  };
  await Promise.all(Array.from({ length: statements }, keepReading));
  const requests = latencies.length * together;
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
