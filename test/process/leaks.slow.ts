import { afterEach, expect } from "bun:test";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { toNdjson } from "../support/bulk-requests.ts";
import { databaseOn } from "../support/engines.ts";
import { CarelessClients } from "../support/leaks/careless-clients.ts";
import { importLines, importWithRetries } from "../support/process/bulk-import.ts";
import { type Roster, startRoster, stopAll, temporaryFolder } from "../support/process/roster.ts";
import { requirement } from "../support/requirements.ts";
import { until } from "../support/until.ts";

afterEach(stopAll, 60_000);

/** For a long run: `LEAK_SECONDS=600 npm test -- ./test/process/leaks.slow.ts`. */
const seconds = Number(process.env.LEAK_SECONDS ?? 20);
const CLIENTS = 16;
const MIB = 1024 * 1024;
/** Object types that belong to a request, a stream, a timer or a connection. */
const REQUEST_TYPES =
  /^(Request|Response|Headers|ReadableStream.*|Readable.*Controller|AbortSignal|AbortController|Timeout|Immediate|Blob|Subprocess|.*Socket|.*Sink)$/;

interface Usage {
  readonly residentMiB: number;
  readonly heapMiB: number;
  readonly descriptors: number;
  readonly threads: number;
  /** Live objects of requests, streams, timers and connections. */
  readonly objects: number;
  readonly byType: Record<string, number>;
}

for (const engine of ["sqlite", "postgres"] as const) {
  requirement(process.platform === "linux", "file descriptors are counted in /proc").test(
    `${engine}: memory, file descriptors, streams and timers come back after aborted requests and invalid input`,
    async () => {
      const folder = temporaryFolder();
      const database = await databaseOn(engine);
      const probe = join(folder, "probe.json");
      const script = join(import.meta.dir, "../support/leaks/memory-probe.ts");
      const env = { BUN_OPTIONS: `--preload=${script}`, MEMORY_PROBE: probe };
      const roster = await startRoster(database.url, { env });
      await importWithRetries(roster, toNdjson(importLines("kept", 5000)), "kept");
      // Caches and pools fill in the first part. The second part must not add to them.
      await run(roster, Math.max(5, seconds / 3));
      await removeImported(roster);
      const before = await measureIdle(roster, probe);
      const clients = await run(roster, seconds);
      await removeImported(roster);
      let after = before;
      const limit = { residentMiB: before.residentMiB * 1.2 + 32, heapMiB: before.heapMiB * 1.2 + 4 };
      const isBack = () =>
        after.residentMiB <= limit.residentMiB &&
        after.heapMiB <= limit.heapMiB &&
        after.descriptors <= before.descriptors + 2 &&
        after.threads <= before.threads + 2 &&
        after.objects <= before.objects + 20;
      await until(
        async () => {
          after = await measureIdle(roster, probe);
          return isBack();
        },
        () => JSON.stringify({ before, after }),
      );
      const requests = Object.values(clients.counts).reduce((sum, count) => sum + count, 0);
      console.log({
        engine,
        seconds,
        requests,
        ...clients.counts,
        before: brief(before),
        after: brief(after),
      });
      expect(clients.errors).toEqual([]);
      roster.kill("SIGTERM");
      expect(await roster.exited).toEqual({ code: 0, signal: null });
      await database.drop();
    },
    300_000 + seconds * 3000,
  );
}

const brief = ({ byType: _, ...usage }: Usage) => usage;

async function run(roster: Roster, time: number): Promise<CarelessClients> {
  const clients = new CarelessClients(roster, CLIENTS);
  clients.start();
  await Bun.sleep(time * 1000);
  await clients.stop();
  return clients;
}

/** Deletes the users of aborted imports, so that the database does not grow. */
async function removeImported(roster: Roster): Promise<void> {
  for (;;) {
    const users: { id: number }[] = await (await roster.call("/api/users?file=aborted&limit=1000")).json();
    if (users.length === 0) return;
    for (let at = 0; at < users.length; at += 50) {
      const headers = { connection: "close" };
      const remove = ({ id }: { id: number }) =>
        roster.call(`/api/users/${id}`, { method: "DELETE", headers, keepalive: false });
      await Promise.all(users.slice(at, at + 50).map(remove));
    }
  }
}

/** Waits until the service has finished what the clients left behind, and measures it. */
async function measureIdle(roster: Roster, probe: string): Promise<Usage> {
  let last = await measure(roster, probe);
  return await until(async () => {
    await Bun.sleep(1000);
    const before = last;
    last = await measure(roster, probe);
    const isStable =
      last.objects >= before.objects &&
      last.heapMiB >= before.heapMiB &&
      last.descriptors >= before.descriptors;
    return isStable ? last : undefined;
  });
}

/** Measures the service after a garbage collection. */
async function measure(roster: Roster, probe: string): Promise<Usage> {
  rmSync(probe, { force: true });
  roster.kill("SIGUSR2");
  await until(() => existsSync(probe));
  const { heapSize, objects }: { heapSize: number; objects: Record<string, number> } = JSON.parse(
    readFileSync(probe, "utf8"),
  );
  const byType = Object.fromEntries(Object.entries(objects).filter(([type]) => REQUEST_TYPES.test(type)));
  const status = readFileSync(`/proc/${roster.pid}/status`, "utf8");
  const field = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(status)?.[1]);
  return {
    residentMiB: Math.round((field("VmRSS") * 1024) / MIB),
    heapMiB: Math.round(heapSize / MIB),
    descriptors: readdirSync(`/proc/${roster.pid}/fd`).length,
    threads: field("Threads"),
    objects: Object.values(byType).reduce((sum, count) => sum + count, 0),
    byType,
  };
}
