import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { createSecret } from "../../src/contract/keys/key-secret.ts";
import { bearer } from "../support/credentials.ts";
import { type Roster, startRoster, stopAll, temporaryFolder } from "../support/process/roster.ts";

setDefaultTimeout(120_000);
afterAll(stopAll);

/** `LIMITS_FIGURES=1 npm test -- ./test/process/limits.slow.ts` prints the measurements. */
const measurements: Record<string, number> = {};
afterAll(() => {
  if (process.env.LIMITS_FIGURES) console.log(measurements);
});

const CONNECTIONS = 8;
const RATE = 200;
const SECONDS = 10;

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

test("a key never exceeds its rate, and callers that obey Retry-After are not rejected", async () => {
  const apiKey = createSecret();
  const roster = await startRoster(join(temporaryFolder(), "roster.db"), { env: { ROSTER_API_KEY: apiKey } });
  const crowd = async () => {
    const body = { name: "rate", scopes: ["users:read"], rateLimit: { requests: RATE, seconds: 1 } };
    const created = await roster.call("/api/keys", { method: "POST", json: body, headers: bearer(apiKey) });
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
    expect(admitted.length).toBeGreaterThan(RATE);
  }
  expect(careful.rejected).toEqual([]);
  expect(greedy.wronglyRejected).toBe(0);
  // After the first rejection the burst is used up. From then on, the key gets its rate, within 5 %.
  const since = Math.min(...greedy.rejected.map(({ sentAt }) => sentAt));
  const inTime = greedy.admitted.filter(
    ({ sentAt }) => sentAt >= since && sentAt < since + SECONDS * 1000,
  ).length;
  measurements.admittedOf2000 = inTime;
  expect(inTime).toBeWithin(RATE * SECONDS * 0.95, RATE * SECONDS * 1.05);
});
