import { afterAll, afterEach, expect, test } from "bun:test";
import { findEventErrors } from "../support/consistency/check-events.ts";
import {
  followStream,
  followWithClient,
  type IsLast,
  readFeed,
} from "../support/consistency/event-followers.ts";
import { EventWriters } from "../support/consistency/event-writers.ts";
import { listAllUsers } from "../support/consistency/list-checks.ts";
import { type Postgres, startPostgres } from "../support/postgres/server.ts";
import { type Roster, startWith, stopAll } from "../support/process/roster.ts";
import { until } from "../support/until.ts";

/** For a long run: `EVENT_ROUNDS=50 npm test -- ./test/nodes/event-crash.slow.ts`. */
const rounds = Number(process.env.EVENT_ROUNDS ?? 4);
const WRITES_PER_ROUND = 150;

let server: Postgres | undefined;
afterEach(stopAll);
afterAll(() => server?.destroy());

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
