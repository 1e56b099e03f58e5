import { afterEach, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { readMemory } from "../../bench/support/process-usage.ts";
import { bearer } from "../support/credentials.ts";
import { onEachEngine } from "../support/engines.ts";
import { type MonitoredService, startMonitoredService } from "../support/monitored-service.ts";
import { until } from "../support/until.ts";
import type { FollowerPlan, FollowerReport } from "./support/many-followers.ts";

setDefaultTimeout(600_000);

const FOLLOWERS = 5000;
const KEYS = 20;
const RUNS = 5;
const EVENTS = 20;
const NOTE = "x".repeat(15_000);
const EVENT_PAUSE_MS = 50;
/** What Roster promises to other callers, and needs at most. */
const MAX_P99_MS = 50;
const MAX_MEMORY_MB = 400;

let service: MonitoredService | undefined;
let followers: Bun.Subprocess | undefined;
afterEach(async () => {
  followers?.kill();
  await service?.stop();
});

const main = join(import.meta.dir, "support/many-followers.ts");

/** Starts the followers in their own process, and waits until all of them follow. Returns what reports about them. */
async function startFollowers(plan: FollowerPlan): Promise<() => Promise<FollowerReport>> {
  let received: FollowerReport | undefined;
  const child = Bun.spawn([process.execPath, main], {
    stdio: ["ignore", "inherit", "inherit"],
    ipc(message: FollowerReport) {
      received = message;
    },
  });
  followers = child;
  const report = () => {
    received = undefined;
    child.send("report");
    return until(() => received);
  };
  child.send(plan);
  await until(async () => (await report()).open === plan.reading + plan.silent);
  return report;
}

/** Calls one after the other, until `work` is done. Returns the 99th percentile of their times. */
async function measureP99(call: () => Promise<Response>, work: () => Promise<void>): Promise<number> {
  const times: number[] = [];
  let isDone = false;
  const calling = (async () => {
    while (!isDone) {
      const begin = performance.now();
      const response = await call();
      await response.text();
      expect(response.status).toBe(200);
      times.push(performance.now() - begin);
      await Bun.sleep(5);
    }
  })();
  try {
    await work();
  } finally {
    isDone = true;
    await calling;
  }
  times.sort((a, b) => a - b);
  return times[Math.floor(times.length * 0.99)] ?? 0;
}

onEachEngine((engine) => {
  test.each([
    ["that read", FOLLOWERS],
    ["of which half do not read", FOLLOWERS / 2],
    ["of which most do not read", 300],
  ])("5,000 followers %s slow nobody down, and get every event if they read", async (_, reading) => {
    const node = await startMonitoredService({ rateLimit: 0 }, engine);
    service = node;
    const createKey = async (scopes: string[], headers = {}): Promise<string> => {
      const response = await node.call("/api/keys", {
        method: "POST",
        json: { name: "many", scopes },
        headers,
      });
      return (await response.json()).key;
    };
    const manager = bearer(await createKey(["keys:manage", "users:read", "users:write", "events:read"]));
    const keys: string[] = [];
    for (let i = 0; i < KEYS; i++) keys.push(await createKey(["events:read"], manager));
    const create = async (): Promise<Response> => {
      const response = await node.call("/api/users", {
        method: "POST",
        json: { name: "Ada", note: NOTE },
        headers: manager,
      });
      expect(response.status).toBe(201);
      return response;
    };
    const path = new URL((await create()).headers.get("location") ?? "").pathname;
    const read = () => fetch(node.url + path, { headers: manager });
    const plan = { port: Number(new URL(node.url).port), keys, reading, silent: FOLLOWERS - reading };
    const report = await startFollowers(plan);
    const p99s: number[] = [];
    let created = 0;
    const createEvents = async () => {
      for (let i = 0; i < EVENTS; i++) {
        await create();
        await Bun.sleep(EVENT_PAUSE_MS);
      }
      created += EVENTS;
      await until(async () => (await report()).fewest >= created);
    };
    // Code that runs for the first time takes longer.
    await createEvents();
    await node.takeTurns();
    for (let run = 0; run < RUNS; run++) {
      p99s.push(await measureP99(read, createEvents));
    }
    await node.expectShortTurns(createEvents);
    const { ids, continued } = await report();
    const { peak: memoryMb } = readMemory(node.pid);
    const metrics = await (await node.call("/metrics", { headers: manager })).text();
    const disconnected = metrics.match(/^roster_followers_closed_total.*$/gm) ?? [];
    console.log(
      `${engine}, ${reading} of ${FOLLOWERS} read: p99 of another caller ${p99s.map((ms) => ms.toFixed(1)).join(", ")} ms; ` +
        `${memoryMb.toFixed(0)} MB at most; ${disconnected.join(", ")}; readers continued ${continued} times`,
    );
    // Every follower that reads has every event once, in the same order.
    expect(ids).toHaveLength(created);
    expect(new Set(ids).size).toBe(created);
    expect([...p99s].sort((a, b) => a - b)[RUNS >> 1]).toBeLessThanOrEqual(MAX_P99_MS);
    expect(memoryMb).toBeLessThanOrEqual(MAX_MEMORY_MB);
  });
});
