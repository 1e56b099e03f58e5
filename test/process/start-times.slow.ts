import { afterEach, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { startRoster, stopAll, temporaryFolder } from "../support/process/roster.ts";
import { CRASH_TIMEOUT_MS, crashUnderLoad } from "./support/crashes.ts";

setDefaultTimeout(CRASH_TIMEOUT_MS);
afterEach(stopAll);

test("the first response arrives within two seconds of a start on an existing database", async () => {
  const database = join(temporaryFolder(), "roster.db");
  const first = await startRoster(database);
  const creates = Array.from({ length: 300 }, (_, i) =>
    first.call("/api/users", { method: "POST", json: { name: `U ${i}` } }),
  );
  await Promise.all(creates);
  first.kill("SIGKILL");
  await first.exited;
  const { startMs } = await startRoster(database);
  expect(startMs).toBeLessThan(2000);
});

test("while the service is killed again and again, every response comes within ten seconds", () =>
  crashUnderLoad({ rounds: 8, withinMs: 10_000, pauseMs: 0 }));
