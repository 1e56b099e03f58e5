import { afterAll, afterEach, expect, test } from "bun:test";
import { LoadBalancer } from "../support/consistency/load-balancer.ts";
import type { User } from "../support/consistency/operation.ts";
import { findPostgresCorruption } from "../support/consistency/postgres-corruption.ts";
import { timeToServe } from "../support/consistency/time-to-serve.ts";
import { Workload } from "../support/consistency/workload.ts";
import { freshDatabase, startPostgresBeforeTests } from "../support/postgres/fresh-database.ts";
import { type Roster, startRoster, stopAll } from "../support/process/roster.ts";
import { timeLimit } from "../support/time-limit.ts";
import { until } from "../support/until.ts";

startPostgresBeforeTests();
afterEach(stopAll);
const balancers: LoadBalancer[] = [];
afterAll(() => {
  for (const balancer of balancers) balancer.stop();
});

/** For a long run that prints its counts: `FAULT_ROUNDS=50 npm test postgres-nodes`. */
const roundsSetting = process.env.FAULT_ROUNDS;
const rounds = Number(roundsSetting ?? 2);
const WAIT_MS = 3000;
const flags = [`--database-wait=${WAIT_MS}`];

async function startBoth(url: string): Promise<{ nodes: [Roster, Roster]; balancer: LoadBalancer }> {
  const one = await startRoster(url, { flags });
  const nodes: [Roster, Roster] = [one, await startRoster(url, { flags })];
  const balancer = await LoadBalancer.start(nodes);
  balancers.push(balancer);
  return { nodes, balancer };
}

test(
  "kill -9 of one of two nodes causes no error for clients that retry, and nothing is lost or duplicated",
  async () => {
    const { url, drop } = await freshDatabase();
    const { nodes, balancer } = await startBoth(url);
    const limits = { service: balancer, withinMs: timeLimit(WAIT_MS + 1500) };
    const ports = () => [balancer.port];
    const load = new Workload({ ports, withinMs: limits.withinMs, repeated: 1, mayBreak: true });
    await load.prepare();
    for (let round = 1; round <= rounds; round++) {
      const victim = round % 2;
      load.start();
      await Bun.sleep(200 + Math.random() * 500);
      await until(() => load.counts.acknowledged > round * 20);
      nodes[victim]?.kill("SIGKILL");
      await nodes[victim]?.exited;
      await timeToServe(limits);
      nodes[victim] = await startRoster(url, { flags });
      balancer.use(nodes);
      await Bun.sleep(200);
      await load.stop();
      expect({ round, errors: load.history.errors }).toEqual({ round, errors: [] });
    }
    expect(await load.findErrors([balancer], (users) => findPostgresCorruption(url, users))).toEqual([]);
    expect(load.counts.acknowledged).toBeGreaterThan(rounds * 20);
    if (roundsSetting) console.log({ rounds, ...load.counts, ...load.history.counts });
    await drop();
  },
  120_000 + rounds * 20_000,
);

test("concurrent increments with If-Match through both nodes lose no update", async () => {
  const { url, drop } = await freshDatabase();
  const { balancer } = await startBoth(url);
  const path = "/api/users/1";
  await balancer.send("POST", "/api/users", { name: "Counter", count: 0 });
  const end = performance.now() + 700;
  const steps = { done: 0, rejected: 0 };
  const other: string[] = [];
  const client = async () => {
    while (performance.now() < end || Math.min(steps.done, steps.rejected) === 0) {
      const read = await balancer.call(path);
      const { count }: User = await read.json();
      const headers = { "if-match": read.headers.get("etag") ?? "" };
      const { status } = await balancer.send("PATCH", path, { count: Number(count) + 1 }, headers);
      if (status === 200) steps.done++;
      else if (status === 412) steps.rejected++;
      else other.push(`PATCH: status ${status}`);
    }
  };
  await Promise.all(Array.from({ length: 6 }, client));
  expect(other).toEqual([]);
  expect(Math.min(steps.done, steps.rejected)).toBeGreaterThan(0);
  const user: User = await (await balancer.call(path)).json();
  expect(user).toMatchObject({ count: steps.done, version: steps.done + 1 });
  if (roundsSetting) console.log(steps);
  await drop();
}, 120_000);
