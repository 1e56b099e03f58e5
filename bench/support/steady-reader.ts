/**
 * Reads random users at a steady rate, in its own process, and prints a `ReadTimes`:
 * `bun steady-reader.ts URL KEY USERS PER_SECOND SECONDS`.
 */
import { HttpConnection } from "./http-connection.ts";
import { percentile } from "./statistics.ts";

export interface ReadTimes {
  readonly reads: number;
  readonly errors: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

const CONNECTIONS = 8;
/** The first reads, which compile this program, do not count. */
const WARM_UP_READS = 10;
const PATIENCE_MS = 15_000;

/** A late response does not delay the next request, and each time counts from when the request was due. */
async function readSteadily(
  url: URL,
  key: string,
  users: number,
  rate: number,
  seconds: number,
): Promise<ReadTimes> {
  const times: number[] = [];
  const dueAt = new Map<HttpConnection, number>();
  const idle: HttpConnection[] = [];
  const waiting: number[] = [];
  let errors = 0;
  const read = (connection: HttpConnection, due: number) => {
    dueAt.set(connection, due);
    const id = 1 + Math.floor(Math.random() * users);
    connection.send(
      `GET /api/users/${id} HTTP/1.1\r\nHost: ${url.host}\r\nAuthorization: Bearer ${key}\r\n\r\n`,
    );
  };
  const events = {
    responded(connection: HttpConnection, status: number) {
      times.push(performance.now() - (dueAt.get(connection) ?? 0));
      if (status !== 200) errors++;
      const due = waiting.shift();
      if (due === undefined) idle.push(connection);
      else read(connection, due);
    },
    failed() {
      errors++;
    },
  };
  for (let number = 0; number < CONNECTIONS; number++) idle.push(await HttpConnection.open(url, events));
  const start = performance.now();
  const total = WARM_UP_READS + rate * seconds;
  for (let number = 0; number < total; number++) {
    const due = start + (number * 1000) / rate;
    await Bun.sleep(Math.max(0, due - performance.now()));
    const connection = idle.shift();
    if (connection) read(connection, due);
    else waiting.push(due);
  }
  while (times.length + errors < total && performance.now() < start + seconds * 1000 + PATIENCE_MS)
    await Bun.sleep(5);
  times.splice(0, WARM_UP_READS);
  return {
    reads: times.length,
    errors: errors + Math.max(0, total - WARM_UP_READS - times.length - errors),
    p50Ms: percentile(times, 0.5),
    p99Ms: percentile(times, 0.99),
  };
}

/** Runs this script in its own process. */
export async function timeSteadyReads(
  url: string,
  key: string,
  users: number,
  rate: number,
  seconds: number,
): Promise<ReadTimes> {
  const script = Bun.fileURLToPath(import.meta.url);
  const values = [url, key, ...[users, rate, seconds].map(String)];
  const child = Bun.spawn([process.execPath, script, ...values], { stderr: "inherit" });
  const report: ReadTimes = JSON.parse(await new Response(child.stdout).text());
  return report;
}

if (import.meta.main) {
  const [url = "", key = "", ...numbers] = process.argv.slice(2);
  const [users = 0, rate = 0, seconds = 0] = numbers.map(Number);
  console.log(JSON.stringify(await readSteadily(new URL(url), key, users, rate, seconds)));
  process.exit();
}
