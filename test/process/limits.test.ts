import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { createSecret } from "../../src/contract/key-secret.ts";
import { bearer } from "../support/credentials.ts";
import { type Roster, startRoster, stopAll, temporaryFolder } from "../support/process/roster.ts";
import { STRICT_TIMES } from "../support/time-limit.ts";

setDefaultTimeout(120_000);
afterAll(stopAll);

/** `LIMITS_FIGURES=1 npm test process/limits` prints the measurements. */
const measurements: Record<string, number> = {};
afterAll(() => {
  if (process.env.LIMITS_FIGURES) console.log(measurements);
});

const CONNECTIONS = 8;
const RATE = 200;
/** The exact rate is checked by `npm run test:slow` only. */
const SECONDS = STRICT_TIMES ? 10 : 3;

interface Call {
  readonly sentAt: number;
  readonly respondedAt: number;
}

/** Several callers that share one key, with the result of each call. */
class Crowd {
  readonly admitted: Call[] = [];
  readonly rejected: Call[] = [];
  readonly errors: string[] = [];

  constructor(
    readonly roster: Roster,
    readonly key: string,
  ) {}

  /** Sends one request. Returns the seconds to wait and the remaining requests from the response. */
  async call(): Promise<{ wait: number; left: number }> {
    const sentAt = performance.now();
    const response = await this.roster.call("/api/users/1", { headers: bearer(this.key) });
    await response.text();
    const call = { sentAt, respondedAt: performance.now() };
    const wait = Number(response.headers.get("retry-after") ?? 0);
    const left = Number(/^"default";r=(\d+);t=1$/.exec(response.headers.get("ratelimit") ?? "")?.[1]);
    if (response.status === 404 && wait === 0) this.admitted.push(call);
    else if (response.status === 429 && wait === 1 && left === 0) this.rejected.push(call);
    else this.errors.push(`${response.status}, left ${left}, wait ${wait}`);
    return { wait, left };
  }

  /** Finds intervals in which more requests were admitted than the limit allows. */
  get excess(): number {
    const { admitted } = this;
    const bySent = admitted.map(({ sentAt }) => sentAt).sort((a, b) => a - b);
    const byResponse = admitted.map(({ respondedAt }) => respondedAt).sort((a, b) => a - b);
    let most = Number.NEGATIVE_INFINITY;
    for (let first = 0; first < bySent.length; first += 7) {
      for (let last = first; last < byResponse.length; last += 7) {
        const elapsed = ((byResponse[last] ?? 0) - (bySent[first] ?? 0)) / 1000;
        most = Math.max(most, last - first + 1 - CONNECTIONS - RATE * (1 + elapsed));
      }
    }
    return most;
  }

  /** Counts rejections although a token must have been available, whenever the server saw the request. */
  get wronglyRejected(): number {
    const admitted = this.admitted.toSorted((a, b) => a.sentAt - b.sentAt);
    const responses = admitted.map(({ respondedAt }) => respondedAt).sort((a, b) => a - b);
    // A lower bound of the tokens: the refill since an admitted call, minus the calls since. For each admitted call, `leasts`
    // has the smallest such bound so far, without the terms that depend on the rejected call.
    let least = Number.POSITIVE_INFINITY;
    let before = 0;
    const leasts = admitted.map(({ sentAt, respondedAt }) => {
      while ((responses[before] ?? sentAt) < sentAt) before++;
      least = Math.min(least, before - (respondedAt / 1000) * RATE);
      return least;
    });
    const rejected = this.rejected.toSorted((a, b) => a.respondedAt - b.respondedAt);
    let arrived = 0;
    return rejected.filter(({ sentAt, respondedAt }) => {
      while ((admitted[arrived]?.sentAt ?? respondedAt) < respondedAt) arrived++;
      return RATE + (sentAt / 1000) * RATE - arrived + (leasts[arrived - 1] ?? 0) >= 1;
    }).length;
  }
}

// These tests mostly wait, so they run concurrently.
test.concurrent("a key never exceeds its rate, and callers that obey Retry-After are not rejected", async () => {
  const apiKey = createSecret();
  const roster = await startRoster(join(temporaryFolder(), "roster.db"), { env: { ROSTER_API_KEY: apiKey } });
  const crowd = async () => {
    const body = { name: "rate", scopes: ["users:read"], rateLimit: { requests: RATE, seconds: 1 } };
    const created = await roster.send("POST", "/api/keys", body, bearer(apiKey));
    const { key }: { key: string } = await created.json();
    return new Crowd(roster, key);
  };
  const [greedy, obedient, careful] = [await crowd(), await crowd(), await crowd()];
  const end = performance.now() + (SECONDS + 1) * 1000;

  /** Sends as fast as possible and ignores Retry-After. */
  const push = async () => {
    while (performance.now() < end) if ((await greedy.call()).wait > 0) await Bun.sleep(4);
  };
  /** All callers pause together for the Retry-After of any of them. */
  let resume = 0;
  let pendingRetries = 0;
  const obey = async () => {
    while (performance.now() < end) {
      while (resume > performance.now()) await Bun.sleep(resume - performance.now());
      const first = pendingRetries-- > 0;
      const { wait } = await obedient.call();
      if (wait === 0) continue;
      if (first) obedient.errors.push("rejected after Retry-After");
      if (performance.now() + wait * 500 < resume) continue;
      resume = performance.now() + wait * 1000;
      pendingRetries = CONNECTIONS;
    }
  };
  /** One caller that never exceeds the remaining requests. */
  const take = async () => {
    while (performance.now() < end) if ((await careful.call()).left === 0) await Bun.sleep(1000);
  };
  await Promise.all([...Array.from({ length: CONNECTIONS }, () => [push(), obey()]).flat(), take()]);

  for (const { errors, excess, admitted } of [greedy, obedient, careful]) {
    expect(errors).toEqual([]);
    expect(excess).toBeLessThanOrEqual(1);
    expect(admitted.length).toBeGreaterThan(STRICT_TIMES ? RATE : 0);
  }
  expect(careful.rejected).toEqual([]);
  expect(greedy.wronglyRejected).toBe(0);
  // A busy machine may send fewer requests than the limit allows.
  if (!STRICT_TIMES) return;
  // After the first rejection the burst is used up. From then on, the key gets its rate, within 5 %.
  const since = Math.min(...greedy.rejected.map(({ sentAt }) => sentAt));
  const inTime = greedy.admitted.filter(
    ({ sentAt }) => sentAt >= since && sentAt < since + SECONDS * 1000,
  ).length;
  measurements.admittedOf2000 = inTime;
  expect(inTime).toBeWithin(RATE * SECONDS * 0.95, RATE * SECONDS * 1.05);
});

test.concurrent("calls from hundreds of thousands of addresses do not grow the service's memory", async () => {
  // So slow that no bucket refills and none can be evicted for being full.
  const flags = ["--auth=off", "--trusted-proxies=127.0.0.1", "--rate-limit=6000/86400"];
  const roster = await startRoster(join(temporaryFolder(), "roster.db"), { flags });
  await callFromMany(roster, 0, 60_000);
  const before = await residentMiB(roster);
  await callFromMany(roster, 60_000, 200_000);
  const after = await residentMiB(roster);
  Object.assign(measurements, { before, after });
  // Without a limit, the buckets would take about a hundred MiB more.
  expect(after - before).toBeLessThan(40);
  expect(after).toBeLessThan(250);
  // An evicted address starts with a full bucket; an address that still has a bucket does not.
  const left = async (address: string) => {
    const response = await roster.call("/api/users/1", { headers: { "x-forwarded-for": address } });
    return /r=(\d+)/.exec(response.headers.get("ratelimit") ?? "")?.[1];
  };
  expect(await left("192.0.2.1")).toBe("5999");
  expect(await left("192.0.2.1")).toBe("5998");
}, 600_000);

const SOCKETS = 4;
const AT_ONCE = 100;

/** Sends one request per address in a range, pipelined by the hundred on a few connections. */
async function callFromMany({ port }: Roster, from: number, to: number): Promise<void> {
  let next = from;
  const requests = () => {
    const texts = Array.from({ length: AT_ONCE }, () => {
      const address = `20.${(next >> 16) & 255}.${(next >> 8) & 255}.${next++ & 255}`;
      return `GET /api/users/1 HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: ${address}\r\n\r\n`;
    });
    return texts.join("");
  };
  const runConnection = () =>
    new Promise<void>((resolve, reject) => {
      const socket = connect(port, "127.0.0.1");
      let responses = 0;
      let rest = "";
      const more = () => {
        if (next < to) return void socket.write(requests());
        socket.destroy();
        resolve();
      };
      socket.setEncoding("latin1");
      socket.on("connect", more);
      socket.on("error", reject);
      socket.on("data", (text) => {
        const parts = (rest + text).split("HTTP/1.1 404");
        responses += parts.length - 1;
        rest = (parts.at(-1) ?? "").slice(-12);
        if (responses < AT_ONCE) return;
        responses -= AT_ONCE;
        more();
      });
    });
  await Promise.all(Array.from({ length: SOCKETS }, runConnection));
}

/** The lowest of several readings, because freed memory is returned late. */
async function residentMiB({ pid }: Roster): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let look = 0; look < 5; look++) {
    const kib = Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
    least = Math.min(least, Math.round(kib / 1024));
    await Bun.sleep(100);
  }
  return least;
}
