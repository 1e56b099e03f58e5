import { afterEach, expect, setDefaultTimeout, test } from "bun:test";
import { eventLimits } from "../../src/contract/events/event.ts";
import { bearer, createFirstKey, startSession } from "../support/credentials.ts";
import { onAnyEngine } from "../support/engines.ts";
import { RawConnection } from "../support/process/connection.ts";
import { startService, type TestService } from "../support/service.ts";
import { until } from "../support/until.ts";
import { Follower, SSE } from "./support/follower.ts";

setDefaultTimeout(60_000);

const { followers, followersPerCaller } = eventLimits;
const SHARE = 'roster_followers_refused_total{reason="share"}';
let service: TestService;
const opened: RawConnection[] = [];

afterEach(async () => {
  for (const connection of opened.splice(0)) connection.close();
  await service.stop();
});

async function metric(name: string, headers: Record<string, string>): Promise<number> {
  const text = await (await service.call("/metrics", { headers })).text();
  const row = text.split("\n").find((line) => line.startsWith(`${name} `));
  return Number(row?.split(" ")[1]);
}

/** Opens as many followers as a caller may have. */
async function takeShare(own: Record<string, string>, reader: Record<string, string>): Promise<void> {
  const lines = Object.entries({ host: "localhost", ...SSE, ...own }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  const port = Number(new URL(service.url).port);
  for (let i = 0; i < followersPerCaller; i++) {
    const connection = await RawConnection.open(port);
    opened.push(connection);
    connection.write(`GET /api/events HTTP/1.1\r\n${lines.join("")}\r\n`);
  }
  await until(async () => (await metric("roster_followers", reader)) === followersPerCaller);
}

async function problemOf(path: string, headers: Record<string, string>) {
  const response = await service.call(path, { headers });
  const { type, detail }: { type: string; detail: string } = await response.json();
  expect(response.headers.get("retry-after")).toMatch(/^\d+$/);
  return [response.status, type, detail];
}

const refused = [
  503,
  "/problems/unavailable",
  `This caller follows the events ${followersPerCaller} times already, the most for one key or address. End one of these requests first.`,
];

onAnyEngine((engine) => {
  test("a key gets 503 over its share, with its sessions, while other keys follow", async () => {
    service = await startService({ rateLimit: 0 }, engine);
    const manager = bearer(await createFirstKey(service));
    const createKey = async (): Promise<string> => {
      const body = { name: "follower", scopes: ["events:read"] };
      return (
        await (await service.call("/api/keys", { method: "POST", json: body, headers: manager })).json()
      ).key;
    };
    const greedy = await createKey();
    const last = await service.call("/api/events?sort=-id&limit=1", { headers: manager });
    const [{ id: after }]: [{ id: string }] = await last.json();
    expect<number>(followersPerCaller).toBe(followers / 10);
    await takeShare(bearer(greedy), manager);
    expect(await problemOf("/api/events", { ...SSE, ...bearer(greedy) })).toEqual(refused);
    expect(await problemOf(`/api/events?wait=60&after=${after}`, bearer(greedy))).toEqual(refused);
    expect(await problemOf("/api/users/1/events", { ...SSE, ...bearer(greedy) })).toEqual(refused);
    expect(await problemOf("/api/events", { ...SSE, ...(await startSession(service, greedy)) })).toEqual(
      refused,
    );
    expect(await metric(SHARE, manager)).toBe(4);
    const other = await Follower.open(service, "/api/events", bearer(await createKey()));
    await other.waitUntil(({ text }) => text.startsWith("retry: 1000"));
    other.close();
    // A place is free again after a follower has ended.
    opened.pop()?.close();
    await until(async () => (await metric("roster_followers", manager)) === followersPerCaller - 1);
    const next = await Follower.open(service, "/api/events", bearer(greedy));
    await next.waitUntil(({ text }) => text.startsWith("retry: 1000"));
    next.close();
  });

  test("without keys, each address has a share", async () => {
    service = await startService({ auth: "off", trustedProxies: "127.0.0.1", rateLimit: 0 }, engine);
    const from = (address: string) => ({ "x-forwarded-for": address });
    await takeShare(from("192.0.2.1"), {});
    expect(await problemOf("/api/events", { ...SSE, ...from("192.0.2.1") })).toEqual(refused);
    const other = await Follower.open(service, "/api/events", from("192.0.2.2"));
    await other.waitUntil(({ text }) => text.startsWith("retry: 1000"));
    other.close();
  });
});
