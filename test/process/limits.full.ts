import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { createSecret } from "../../src/contract/keys/key-secret.ts";
import { bearer } from "../support/credentials.ts";
import { startRoster, stopAll, temporaryFolder } from "../support/process/roster.ts";

setDefaultTimeout(120_000);
afterAll(stopAll);

const CONNECTIONS = 8;
const REQUESTS = 200;
/** So long that no token comes back during the test. */
const SECONDS = 86_400;

test("many callers with one key get exactly its limit, and each response says what is left", async () => {
  const apiKey = createSecret();
  const roster = await startRoster(join(temporaryFolder(), "roster.db"), { env: { ROSTER_API_KEY: apiKey } });
  const body = { name: "rate", scopes: ["users:read"], rateLimit: { requests: REQUESTS, seconds: SECONDS } };
  const created = await roster.call("/api/keys", { method: "POST", json: body, headers: bearer(apiKey) });
  const { key }: { key: string } = await created.json();
  const left: number[] = [];
  let rejected = 0;
  const call = async () => {
    const response = await roster.call("/api/users/1", { headers: bearer(key) });
    await response.text();
    const rest = Number(/^"default";r=(\d+);t=\d+$/.exec(response.headers.get("ratelimit") ?? "")?.[1]);
    if (response.status === 404) left.push(rest);
    else {
      expect([response.status, rest]).toEqual([429, 0]);
      expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0);
      rejected++;
    }
  };
  const caller = async () => {
    for (let i = 0; i < (2 * REQUESTS) / CONNECTIONS; i++) await call();
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, caller));
  expect(left.sort((a, b) => a - b)).toEqual(Array.from({ length: REQUESTS }, (_, index) => index));
  expect(rejected).toBe(REQUESTS);
});
