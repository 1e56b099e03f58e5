import { afterAll, afterEach, expect, test } from "bun:test";
import { createClient } from "../../src/client/index.ts";
import { type FollowedEvent, findEventErrors } from "../support/consistency/check-events.ts";
import { EventWriters } from "../support/consistency/event-writers.ts";
import { listAllUsers } from "../support/consistency/list-checks.ts";
import { type Postgres, startPostgres } from "../support/postgres/server.ts";
import { type Roster, startWith, stopAll } from "../support/process/roster.ts";
import { until } from "../support/until.ts";

/** For a long run: `EVENT_ROUNDS=50 npm test -- ./test/nodes/event-crash.slow.ts`. */
const rounds = Number(process.env.EVENT_ROUNDS ?? 4);
const WRITES_PER_ROUND = 150;
const BEGINNING = "00000000000";

let server: Postgres | undefined;
afterEach(stopAll);
afterAll(() => server?.destroy());

/** Follows the feed over HTTP, and continues after broken connections. */
interface Follower {
  readonly seen: FollowedEvent[];
  /** Requests that failed, and streams that broke. */
  readonly failures: () => number;
  /** Ends after the event for which `isLast` is true. */
  readonly done: Promise<void>;
}
type IsLast = (event: FollowedEvent) => boolean;

function followWithClient(url: string, isLast: IsLast): Follower {
  const seen: FollowedEvent[] = [];
  let failures = 0;
  const countFailures = async (request: string | URL | Request, init?: RequestInit) => {
    const response = await fetch(request, init).catch((error: unknown) => {
      failures++;
      throw error;
    });
    if (response.status >= 500) failures++;
    return response;
  };
  const roster = createClient({ baseUrl: url, fetch: countFailures });
  const follow = async () => {
    for await (const event of roster.events.follow({ after: BEGINNING })) {
      seen.push(event);
      if (isLast(event)) return;
    }
  };
  return { seen, failures: () => failures, done: follow() };
}

/** Reads server-sent events, and sends Last-Event-ID after a broken connection. */
function followStream(url: string, isLast: IsLast): Follower {
  const seen: FollowedEvent[] = [];
  let failures = 0;
  /** Whether the last event has arrived. */
  const readStream = async (): Promise<boolean> => {
    const headers = { accept: "text/event-stream", "last-event-id": seen.at(-1)?.id ?? BEGINNING };
    const { body } = await fetch(`${url}/api/events`, { headers });
    const decoder = new TextDecoder();
    let text = "";
    for await (const chunk of body ?? []) {
      text += decoder.decode(chunk, { stream: true });
      const frames = text.split("\n\n");
      text = frames.pop() ?? "";
      for (const frame of frames) {
        const data = /^data: (.*)$/m.exec(frame)?.[1];
        if (data === undefined) continue;
        const event: FollowedEvent = JSON.parse(data);
        seen.push(event);
        if (isLast(event)) return true;
      }
    }
    return false;
  };
  const follow = async () => {
    while (!(await readStream().catch(() => false))) {
      failures++;
      await Bun.sleep(50);
    }
  };
  return { seen, failures: () => failures, done: follow() };
}

async function readFeed(node: Roster): Promise<FollowedEvent[]> {
  const response = await node.call("/api/events", { headers: { accept: "application/x-ndjson" } });
  const lines = (await response.text()).trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line));
}

test(
  "followers over HTTP get every committed change once, and acknowledged writes have their event, while PostgreSQL and nodes are killed",
  async () => {
    const postgres = await startPostgres({ durable: true });
    server = postgres;
    const start = (port: number) =>
      startWith([
        "serve",
        `--port=${port}`,
        `--database=${postgres.url()}`,
        "--database-wait=2000",
        "--slow-ms=60000",
      ]);
    const nodes: [Roster, Roster] = [await start(0), await start(0)];
    const writers = new EventWriters(() => nodes);
    const isLast: IsLast = ({ requestId }) => requestId === "last";
    const followers = nodes.flatMap(({ url }) => [followWithClient(url, isLast), followStream(url, isLast)]);

    for (let round = 0; round < rounds; round++) {
      const goal = writers.acknowledged + WRITES_PER_ROUND;
      await until(() => writers.acknowledged > goal);
      await Bun.sleep(Math.random() * 300);
      if (round % 2 === 0) {
        await postgres.kill9();
        await Bun.sleep(Math.random() * 500);
        await postgres.start();
      } else {
        const victim = round % 4 === 1 ? 0 : 1;
        const { port } = nodes[victim];
        nodes[victim].kill("SIGKILL");
        await nodes[victim].exited;
        nodes[victim] = await start(port);
      }
    }
    const goal = writers.acknowledged + WRITES_PER_ROUND;
    await until(() => writers.acknowledged > goal);
    await writers.stop();
    // A transaction of a killed node may still commit: the last event comes after all others.
    await until(async () => {
      const { status } = await nodes[0].call("/api/users", {
        method: "POST",
        json: { name: "Last" },
        headers: { "x-request-id": "last" },
      });
      return status === 201;
    });
    await Promise.all(followers.map(({ done }) => done));

    const feed = await readFeed(nodes[0]);
    const { users } = await listAllUsers(nodes[0]);
    const { writes, acknowledged, uncertain } = writers;
    const seen = followers.map((follower) => follower.seen);
    expect(findEventErrors({ feed, followers: seen, writes, users })).toEqual([]);
    const failures = followers.map((follower) => follower.failures());
    console.log({ rounds, events: feed.length, acknowledged, uncertain, writes: writes.length, failures });
    expect(Math.min(...failures)).toBeGreaterThan(0);
  },
  120_000 + rounds * 30_000,
);
