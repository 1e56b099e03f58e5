import { expect } from "bun:test";
import { SQL } from "bun";
import type { Callable } from "../../support/call.ts";
import { LoadBalancer } from "../../support/consistency/load-balancer.ts";
import { findPostgresCorruption } from "../../support/consistency/postgres-corruption.ts";
import { type ServeOptions, timeToServe } from "../../support/consistency/time-to-serve.ts";
import { Workload, type WorkloadOptions } from "../../support/consistency/workload.ts";
import { freshDatabase } from "../../support/postgres/fresh-database.ts";
import { startPostgres } from "../../support/postgres/server.ts";
import { type Roster, startRoster } from "../../support/process/roster.ts";

/** What tests of promised times set: `withinMs` is the promise, and clients do not pause. */
export type Promised = Pick<WorkloadOptions, "withinMs" | "pauseMs">;

/** For a long run that prints its counts: `FAULT_ROUNDS=50 npm test -- ./test/nodes/postgres-crash.full.ts`. */
const roundsSetting = process.env.FAULT_ROUNDS;
const rounds = Number(roundsSetting ?? 2);
/** The time limit of a test with these faults. */
export const FAULT_TIMEOUT_MS = 120_000 + rounds * 30_000;
const MAX_SCHEDULE_MS = 300;
const CUTS_PER_ROUND = 10;

/** Kills PostgreSQL at any time. Returns the milliseconds until the service was back, for each round. */
export async function killPostgres(waitMs: number, promised: Promised = {}): Promise<number[]> {
  const server = await startPostgres({ durable: true });
  const roster = await startRoster(server.url(), { flags: [`--database-wait=${waitMs}`] });
  const load = new Workload({ ports: () => [roster.port], ...promised });
  const back = await repeatFault({ load, service: roster, withinMs: promised.withinMs }, async () => {
    await server.kill9();
    await Bun.sleep(Math.random() * MAX_SCHEDULE_MS);
    await expectUnavailable(roster);
    await server.start();
  });
  await expectNothingLost(load, roster, server.url(), { back });
  await server.destroy();
  return back;
}

/** Freezes PostgreSQL. Returns the milliseconds until all requests were refused, and until the service was back. */
export async function freezePostgres(
  waitMs: number,
  promised: Promised = {},
): Promise<{ refused: number[]; back: number[] }> {
  const server = await startPostgres();
  const roster = await startRoster(server.url(), { flags: [`--database-wait=${waitMs}`] });
  const load = new Workload({ ports: () => [roster.port], ...promised });
  const refused: number[] = [];
  // The first request after the freeze may wait for a connection, and then for a response.
  const withinMs = promised.withinMs && promised.withinMs + waitMs;
  const back = await repeatFault({ load, service: roster, withinMs }, async () => {
    server.signal("SIGSTOP");
    // The first probe waits on busy connections, the second on new ones only.
    refused.push(await timeToRefuse(roster), await timeToRefuse(roster));
    server.signal("SIGCONT");
  });
  await expectNothingLost(load, roster, server.url(), { refused, back });
  await server.destroy();
  return { refused, back };
}

/** Cuts all connections to PostgreSQL again and again, as soon as the service has written with new ones. */
export async function cutConnections(waitMs: number, promised: Promised = {}): Promise<void> {
  const { url, drop } = await freshDatabase();
  const roster = await startRoster(url, { flags: [`--database-wait=${waitMs}`] });
  const load = new Workload({ ports: () => [roster.port], ...promised });
  const sql = new SQL(url, { max: 1 });
  await repeatFault({ load, service: roster, withinMs: promised.withinMs }, async () => {
    for (let cuts = 0; cuts < CUTS_PER_ROUND; ) {
      const ended = await sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                              WHERE datname = current_database() AND pid <> pg_backend_pid()`;
      if (ended.length > 0) cuts++;
      await roster.until(load.moreWrites(2), () => "2 more writes after a cut");
      await Bun.sleep(Math.random() * 50);
    }
  });
  await sql.close();
  await expectNothingLost(load, roster, url, {});
  const { reads, unavailableReads } = load.history.counts;
  expect(unavailableReads).toBeLessThan(reads / 20);
  roster.kill("SIGKILL");
  await roster.exited;
  await drop();
}

/** Kills one of two nodes behind a load balancer, while clients retry. */
export async function killNodes(waitMs: number, promised: Promised = {}): Promise<void> {
  const { url, drop } = await freshDatabase();
  const start = () => startRoster(url, { flags: [`--database-wait=${waitMs}`] });
  const nodes: [Roster, Roster] = await Promise.all([start(), start()]);
  const balancer = await LoadBalancer.start(nodes);
  const load = new Workload({ ports: () => [balancer.port], repeated: 1, mayBreak: true, ...promised });
  let survivor = nodes[1];
  const service = {
    call: balancer.call,
    until: ((condition, describe) => survivor.until(condition, describe)) satisfies Roster["until"],
  };
  await repeatFault({ load, service, withinMs: promised.withinMs }, async (round) => {
    const victim = round % 2 ? 0 : 1;
    survivor = nodes[1 - victim] ?? survivor;
    nodes[victim].kill("SIGKILL");
    await nodes[victim].exited;
    await timeToServe({ service, withinMs: promised.withinMs });
    nodes[victim] = await start();
    balancer.use(nodes);
  });
  await expectNothingLost(load, balancer, url, {});
  for (const node of nodes) node.kill("SIGKILL");
  await Promise.all(nodes.map(({ exited }) => exited));
  balancer.stop();
  await drop();
}

interface FaultOptions extends ServeOptions {
  readonly load: Workload;
}

/** Repeats a fault at random times under load. Returns the milliseconds until the service was back, for each round. */
async function repeatFault(
  { load, ...options }: FaultOptions,
  fault: (round: number) => Promise<void>,
): Promise<number[]> {
  const back: number[] = [];
  const { service } = options;
  try {
    await load.prepare();
    for (let round = 1; round <= rounds; round++) {
      load.start();
      await service.until(load.moreWrites(20), () => "20 more writes");
      await Bun.sleep(Math.random() * MAX_SCHEDULE_MS);
      await fault(round);
      back.push(await timeToServe(options));
      await service.until(load.moreWrites(20), () => "20 more writes after the fault");
      await load.stop();
      expect({ round, errors: load.history.errors }).toEqual({ round, errors: [] });
    }
    return back;
  } finally {
    void load.stop();
  }
}

async function expectNothingLost(
  load: Workload,
  node: Callable,
  url: string,
  measured: Record<string, number[]>,
): Promise<void> {
  expect(await load.findErrors([node], (users) => findPostgresCorruption(url, users))).toEqual([]);
  if (roundsSetting) console.log({ rounds, ...measured, ...load.counts, ...load.history.counts });
}

async function expectUnavailable(roster: Roster): Promise<void> {
  const metrics = await roster.call("/metrics");
  expect(metrics.status).toBe(200);
  expect(await metrics.text()).toContain("\nroster_database_up 0\n");
  const requests = [
    roster.call("/api/users/1"),
    roster.call("/api/users?q=ada"),
    roster.call("/readyz"),
    roster.call("/api/users/1", { method: "PATCH", json: { away: true } }),
  ];
  for (const { status, headers } of await Promise.all(requests)) {
    expect(status).toBe(503);
    expect(headers.get("retry-after")).toBe("1");
  }
  expect((await roster.call("/healthz")).status).toBe(200);
}

/** Sends requests of every kind at once, and expects 503. Returns the milliseconds until the last response. */
async function timeToRefuse(roster: Roster): Promise<number> {
  const begin = performance.now();
  const lists = ["", "?q=ada", "?count=true", "?q=ada&count=true", "?sort=-name", "?team=red"];
  const requests = [
    ...Array.from({ length: 20 }, (_, index) => roster.call(`/api/users/${index + 1}`)),
    ...[...lists, ...lists, ...lists].map((query) => roster.call(`/api/users${query}`)),
    roster.call("/readyz"),
    roster.call("/api/users/1000000", { method: "PUT", json: { name: "Nobody" } }),
    roster.call("/api/users/1000000", { method: "PATCH", json: { name: "Nobody" } }),
    roster.call("/api/users/1000000", { method: "DELETE" }),
  ];
  expect((await roster.call("/healthz")).status).toBe(200);
  for (const { status, headers } of await Promise.all(requests))
    expect([status, headers.get("retry-after")]).toEqual([503, "1"]);
  return Math.round(performance.now() - begin);
}
