import { afterEach, expect, test } from "bun:test";
import { LoadBalancer } from "../support/consistency/load-balancer.ts";
import type { User } from "../support/consistency/operation.ts";
import { freshDatabase, startPostgresBeforeTests } from "../support/postgres/fresh-database.ts";
import { startRoster, stopAll } from "../support/process/roster.ts";
import { FAULT_TIMEOUT_MS, killNodes } from "./support/faults.ts";

startPostgresBeforeTests();
afterEach(stopAll);

const LEAST_STEPS = 20;

test(
  "kill -9 of one of two nodes causes no error for clients that retry, and nothing is lost or duplicated",
  () => killNodes(30_000),
  FAULT_TIMEOUT_MS,
);

test("concurrent increments with If-Match through both nodes lose no update", async () => {
  const { url, drop } = await freshDatabase();
  const balancer = await LoadBalancer.start(await Promise.all([startRoster(url), startRoster(url)]));
  const path = "/api/users/1";
  await balancer.call("/api/users", { method: "POST", json: { name: "Counter", count: 0 } });
  const steps = { done: 0, rejected: 0 };
  const client = async () => {
    while (Math.min(steps.done, steps.rejected) < LEAST_STEPS) {
      const read = await balancer.call(path);
      const { count }: User = await read.json();
      const headers = { "if-match": read.headers.get("etag") ?? "" };
      const { status } = await balancer.call(path, {
        method: "PATCH",
        json: { count: Number(count) + 1 },
        headers,
      });
      if (status === 200) steps.done++;
      else if (status === 412) steps.rejected++;
      else throw new Error(`PATCH: status ${status}`);
    }
  };
  await Promise.all(Array.from({ length: 6 }, client));
  const user: User = await (await balancer.call(path)).json();
  expect(user).toMatchObject({ count: steps.done, version: steps.done + 1 });
  balancer.stop();
  await stopAll();
  await drop();
}, 120_000);
