import { afterAll, afterEach, expect, test } from "bun:test";
import { findPostgresCorruption } from "../support/consistency/postgres-corruption.ts";
import { timeToServe } from "../support/consistency/time-to-serve.ts";
import { Workload } from "../support/consistency/workload.ts";
import { type Postgres, startPostgres } from "../support/postgres/server.ts";
import { type Roster, startRoster, stopAll } from "../support/process/roster.ts";
import { timeLimit } from "../support/time-limit.ts";
import { until } from "../support/until.ts";

/** For a long run that prints its counts: `FAULT_ROUNDS=50 npm test postgres-crash`. */
const roundsSetting = process.env.FAULT_ROUNDS;
const rounds = Number(roundsSetting ?? 2);
const WAIT_MS = 2000;
const MARGIN_MS = 1500;
const BACK_WITHIN_MS = 2000;

let server: Postgres | undefined;
afterEach(stopAll);
afterAll(() => server?.destroy());

test(
  "after kill -9 of PostgreSQL at any time, acknowledged writes are kept, and callers are asked to retry",
  async () => {
    server = await startPostgres({ durable: true });
    const url = server.url();
    const roster = await startRoster(url, { flags: [`--database-wait=${WAIT_MS}`] });
    const limits = { service: roster, withinMs: timeLimit(WAIT_MS + MARGIN_MS) };
    const load = new Workload({ ports: () => [roster.port], withinMs: limits.withinMs });
    await load.prepare();
    const back: number[] = [];
    for (let round = 1; round <= rounds; round++) {
      load.start();
      await Bun.sleep(200 + Math.random() * 500);
      await until(() => load.counts.acknowledged > round * 20);
      await server.kill9();
      await Bun.sleep(Math.random() * 500);
      await expectUnavailable(roster);
      await server.start();
      back.push(await timeToServe(limits));
      await Bun.sleep(200);
      await load.stop();
      expect({ round, errors: load.history.errors }).toEqual({ round, errors: [] });
    }
    expect(await load.findErrors([roster], (users) => findPostgresCorruption(url, users))).toEqual([]);
    if (roundsSetting)
      console.log({ rounds, slowestBackMs: Math.max(...back), ...load.counts, ...load.history.counts });
    expect(Math.max(...back)).toBeLessThan(timeLimit(BACK_WITHIN_MS));
    expect(load.counts.acknowledged).toBeGreaterThan(rounds * 20);
  },
  120_000 + rounds * 20_000,
);

async function expectUnavailable(roster: Roster): Promise<void> {
  const metrics = await roster.call("/metrics");
  expect(metrics.status).toBe(200);
  expect(await metrics.text()).toContain("\nroster_database_up 0\n");
  const requests = [
    roster.call("/api/users/1"),
    roster.call("/api/users?q=ada"),
    roster.call("/readyz"),
    roster.send("PATCH", "/api/users/1", { away: true }),
  ];
  for (const { status, headers } of await Promise.all(requests)) {
    expect(status).toBe(503);
    expect(headers.get("retry-after")).toBe("1");
  }
  expect((await roster.call("/healthz")).status).toBe(200);
}
