import { afterAll, afterEach, expect, test } from "bun:test";
import { findPostgresCorruption } from "../support/consistency/postgres-corruption.ts";
import { timeToServe } from "../support/consistency/time-to-serve.ts";
import { Workload } from "../support/consistency/workload.ts";
import { type Postgres, startPostgres } from "../support/postgres/server.ts";
import { type Roster, startRoster, stopAll } from "../support/process/roster.ts";
import { timeLimit } from "../support/time-limit.ts";

/** For a long run that prints its counts: `FAULT_ROUNDS=50 npm test postgres-frozen`. */
const roundsSetting = process.env.FAULT_ROUNDS;
const rounds = Number(roundsSetting ?? 2);
const WAIT_MS = 1000;
const MARGIN_MS = 1000;

let server: Postgres | undefined;
afterEach(stopAll);
afterAll(() => server?.destroy());

test(
  "while PostgreSQL is frozen, every request gets 503 in time, and the service recovers by itself",
  async () => {
    server = await startPostgres();
    const url = server.url();
    const roster = await startRoster(url, { flags: [`--database-wait=${WAIT_MS}`] });
    const limits = { service: roster, withinMs: timeLimit(WAIT_MS + MARGIN_MS) };
    const load = new Workload({ ports: () => [roster.port], withinMs: limits.withinMs });
    await load.prepare();
    const back: number[] = [];
    const waited: number[] = [];
    for (let round = 1; round <= rounds; round++) {
      load.start();
      await Bun.sleep(200 + Math.random() * 300);
      server.signal("SIGSTOP");
      // The first probe waits on busy connections, the second on new ones only.
      waited.push(await timeToRefuse(roster), await timeToRefuse(roster));
      server.signal("SIGCONT");
      back.push(await timeToServe({ ...limits, withinMs: limits.withinMs + WAIT_MS }));
      await Bun.sleep(200);
      await load.stop();
      expect({ round, errors: load.history.errors }).toEqual({ round, errors: [] });
    }
    expect(await load.findErrors([roster], (users) => findPostgresCorruption(url, users))).toEqual([]);
    if (roundsSetting)
      console.log({
        rounds,
        slowestBackMs: Math.max(...back),
        slowestRefusalMs: Math.max(...waited),
        ...load.counts,
        ...load.history.counts,
      });
    expect(Math.max(...waited)).toBeLessThan(limits.withinMs);
    expect(Math.max(...back)).toBeLessThan(timeLimit(2000));
  },
  120_000 + rounds * 20_000,
);

/** Sends requests of every kind at once and returns the slowest response time. */
async function timeToRefuse(roster: Roster): Promise<number> {
  const begin = performance.now();
  const lists = ["", "?q=ada", "?count=true", "?q=ada&count=true", "?sort=-name", "?team=red"];
  const requests = [
    ...Array.from({ length: 20 }, (_, index) => roster.call(`/api/users/${index + 1}`)),
    ...[...lists, ...lists, ...lists].map((query) => roster.call(`/api/users${query}`)),
    roster.call("/readyz"),
    roster.send("PUT", "/api/users/1000000", { name: "Nobody" }),
    roster.send("PATCH", "/api/users/1000000", { name: "Nobody" }),
    roster.call("/api/users/1000000", { method: "DELETE" }),
  ];
  const times = requests.map(async (request) => {
    const { status, headers } = await request;
    expect([status, headers.get("retry-after")]).toEqual([503, "1"]);
    return Math.round(performance.now() - begin);
  });
  expect((await roster.call("/healthz")).status).toBe(200);
  return Math.max(...(await Promise.all(times)));
}
