import { afterEach, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { startRoster, stopAll, temporaryFolder } from "../support/process/roster.ts";

setDefaultTimeout(120_000);
afterEach(stopAll);

test("with a shutdown delay, the service reports that it is not ready, and serves until the delay is over", async () => {
  const roster = await startRoster(join(temporaryFolder(), "roster.db"), { flags: ["--shutdown-delay=3"] });
  expect((await roster.call("/readyz")).status).toBe(200);
  roster.kill("SIGTERM");
  await roster.until(async () => (await roster.call("/readyz")).status !== 200);

  const created = await roster.call("/api/users", { method: "POST", json: { name: "Late" } });
  expect(created.status).toBe(201);
  const read = await roster.call(created.headers.get("location") ?? "");
  expect([read.status, read.headers.get("connection")]).toEqual([200, "close"]);

  expect(await roster.exited).toEqual({ code: 0, signal: null });
});
