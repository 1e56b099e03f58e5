/**
 * Follows the events of a service on many connections while it creates users at a steady rate, in its own process, and prints
 * a `FollowReport`: `bun follow-events.ts URL FOLLOWERS SECONDS WRITES_PER_SECOND`.
 */
import { newSampleUser } from "./sample-users.ts";
import { percentile } from "./statistics.ts";

export interface FollowReport {
  readonly followers: number;
  readonly writes: number;
  /** Events that followers did not get, or got twice. */
  readonly errors: number;
  /** From the time of the event, just before its commit, until a follower has it. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

const FRAME = /id: ([0-9a-z]{11})\ndata: /g;
/** Longer than what `FRAME` matches. */
const TAIL_CHARACTERS = 32;
const PATIENCE_MS = 20_000;

/** Counts the events on one connection. */
class Follower {
  events = 0;
  isOpen = false;
  #tail = "";

  static async open(url: URL, note: (latencyMs: number) => void): Promise<Follower> {
    const follower = new Follower();
    await Bun.connect({
      hostname: url.hostname,
      port: Number(url.port),
      socket: {
        open(socket) {
          socket.write(`GET /api/events HTTP/1.1\r\nHost: ${url.host}\r\nAccept: text/event-stream\r\n\r\n`);
        },
        data: (_, chunk) => follower.#receive(chunk.toString("latin1"), note),
      },
    });
    return follower;
  }

  #receive(chunk: string, note: (latencyMs: number) => void): void {
    this.isOpen = true;
    const text = this.#tail + chunk;
    let end = 0;
    for (const match of text.matchAll(FRAME)) {
      this.events++;
      note(performance.timeOrigin + performance.now() - Number.parseInt(match[1] ?? "", 36) / 1000);
      end = match.index + match[0].length;
    }
    this.#tail = text.slice(Math.max(end, text.length - TAIL_CHARACTERS));
  }
}

async function runFollowers(
  url: string,
  count: number,
  seconds: number,
  rate: number,
): Promise<FollowReport> {
  const latencies: number[] = [];
  const followers: Follower[] = [];
  const note = (latencyMs: number) => latencies.push(latencyMs);
  while (followers.length < count) followers.push(await Follower.open(new URL(url), note));
  await waitUntil(() => followers.every(({ isOpen }) => isOpen));
  const total = seconds * rate;
  const start = performance.now();
  const writing: Promise<unknown>[] = [];
  let failed = 0;
  for (let number = 1; number <= total; number++) {
    await Bun.sleep(Math.max(0, start + (number * 1000) / rate - performance.now()));
    const body = JSON.stringify(newSampleUser(number, `follow${process.pid}`));
    const create = fetch(`${url}/api/users`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    });
    writing.push(create.then(({ status }) => (status === 201 ? undefined : failed++)));
  }
  await Promise.all(writing);
  await waitUntil(() => followers.every(({ events }) => events >= total - failed));
  const wrong = followers.map(({ events }) => Math.abs(total - failed - events));
  return {
    followers: count,
    writes: total,
    errors: failed + wrong.reduce((sum, number) => sum + number, 0),
    p50Ms: percentile(latencies, 0.5),
    p99Ms: percentile(latencies, 0.99),
    maxMs: percentile(latencies, 1),
  };
}

async function waitUntil(isDone: () => boolean): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (!isDone() && performance.now() < deadline) await Bun.sleep(20);
}

/** Runs this script in its own process. */
export async function followEvents(
  url: string,
  followers: number,
  seconds: number,
  rate: number,
): Promise<FollowReport> {
  const script = Bun.fileURLToPath(import.meta.url);
  const child = Bun.spawn([process.execPath, script, url, ...[followers, seconds, rate].map(String)], {
    stderr: "inherit",
  });
  const report: FollowReport = JSON.parse(await new Response(child.stdout).text());
  return report;
}

if (import.meta.main) {
  const [url = "", ...numbers] = process.argv.slice(2);
  const [followers = 0, seconds = 0, rate = 0] = numbers.map(Number);
  console.log(JSON.stringify(await runFollowers(url, followers, seconds, rate)));
  process.exit();
}
