import { afterEach, expect } from "bun:test";
import { toNdjson } from "../support/bulk-requests.ts";
import { databaseOn } from "../support/engines.ts";
import { CarelessClients } from "../support/leaks/careless-clients.ts";
import { brief, UsageProbe } from "../support/leaks/process-usage.ts";
import { importLines, importWithRetries } from "../support/process/bulk-import.ts";
import { type Roster, startRoster, stopAll } from "../support/process/roster.ts";
import { requirement } from "../support/requirements.ts";

afterEach(stopAll, 60_000);

/** For a long run: `LEAK_SECONDS=600 npm test -- ./test/process/leaks.slow.ts`. */
const seconds = Number(process.env.LEAK_SECONDS ?? 20);
const CLIENTS = 16;

for (const engine of ["sqlite", "postgres"] as const) {
  requirement(process.platform === "linux", "file descriptors are counted in /proc").test(
    `${engine}: memory, file descriptors, streams and timers come back after aborted requests and invalid input`,
    async () => {
      const database = await databaseOn(engine);
      const probe = new UsageProbe();
      const roster = await startRoster(database.url, { env: probe.env });
      await importWithRetries(roster, toNdjson(importLines("kept", 5000)), "kept");
      // Caches and pools fill in the first part. The second part must not add to them.
      await run(roster, Math.max(5, seconds / 3));
      await removeImported(roster);
      const before = await probe.measureIdle(roster);
      const clients = await run(roster, seconds);
      await removeImported(roster);
      const after = await probe.expectBack(roster, before);
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
