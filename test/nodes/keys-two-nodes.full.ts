import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import type { CreatedKey } from "../../src/client/index.ts";
import { createSecret } from "../../src/contract/keys/key-secret.ts";
import { bearer, startSession } from "../support/credentials.ts";
import {
  type FreshDatabase,
  freshDatabase,
  pooler,
  startPostgresBeforeTests,
} from "../support/postgres/fresh-database.ts";
import { startPostgres } from "../support/postgres/server.ts";
import { type Roster, startRoster, stopAll, temporaryFolder } from "../support/process/roster.ts";
import { STRICT_TIMES, timeLimit } from "../support/time-limit.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(120_000);
startPostgresBeforeTests();
afterAll(stopAll);

/** `LIMITS_FIGURES=1 npm test keys-two-nodes` prints the measurements. */
const measurements: Record<string, unknown> = {};
afterAll(() => {
  if (process.env.LIMITS_FIGURES) console.log(measurements);
});

const ROUNDS = 8;
const apiKey = createSecret();
const start = (database: string, more: readonly string[] = []) =>
  startRoster(database, {
    env: { ROSTER_API_KEY: apiKey },
    flags: [
      `--database-pooler=${pooler}`,
      "--rate-limit=0",
      "--database-pool=4",
      "--trusted-proxies=127.0.0.1",
      ...more,
    ],
  });

async function createKey(roster: Roster, more: object = {}): Promise<CreatedKey> {
  const body = { name: "shared", scopes: ["users:read"], ...more };
  const response = await roster.send("POST", "/api/keys", body, bearer(apiKey));
  expect(response.status).toBe(201);
  return await response.json();
}

/** Sends each request from a new address, because failed attempts are counted per address. */
let requestCount = 0;
async function status(roster: Roster, headers: Record<string, string>): Promise<number> {
  const from = { "x-forwarded-for": `20.0.${Math.floor(requestCount / 256) % 256}.${requestCount++ % 256}` };
  const response = await roster.call("/api/users?limit=1", { headers: { ...from, ...headers } });
  await response.text();
  return response.status;
}

async function revoke(roster: Roster, { id }: CreatedKey): Promise<void> {
  const response = await roster.call(`/api/keys/${id}`, { method: "DELETE", headers: bearer(apiKey) });
  expect(response.status).toBe(204);
}

async function usage(roster: Roster, { id }: CreatedKey): Promise<number> {
  const response = await roster.call(`/api/keys/${id}`, { headers: bearer(apiKey) });
  const key: CreatedKey = await response.json();
  return key.usage.requests;
}

/** Milliseconds from the revocation until the credential is rejected. */
async function refusedAfter(roster: Roster, headers: Record<string, string>): Promise<number> {
  const begin = performance.now();
  await until(async () => (await status(roster, headers)) !== 200);
  expect(await status(roster, headers)).toBe(401);
  return Math.round(performance.now() - begin);
}

for (const [title, open] of [
  ["on two nodes with one PostgreSQL", freshDatabase],
  [
    "with two processes on one SQLite file",
    async () => ({ url: join(temporaryFolder(), "r.db"), drop: async () => {} }),
  ],
] as const) {
  describe(title, () => {
    let database: FreshDatabase;
    let one: Roster;
    let two: Roster;
    beforeAll(async () => {
      database = await open();
      [one, two] = await Promise.all([start(database.url), start(database.url)]);
    });
    afterAll(async () => {
      for (const roster of [one, two]) roster.kill("SIGKILL");
      await Promise.all([one.exited, two.exited]);
      await database.drop();
    });

    test("a key created on one node works on the other at once, and so does its session", async () => {
      // More requests than an address may send with wrong keys: these keys are valid.
      const from = { "x-forwarded-for": "192.0.2.1" };
      for (let round = 0; round < 50; round++) {
        const [maker, user] = round % 2 ? [one, two] : [two, one];
        const { key } = await createKey(maker);
        const shown = round % 4 < 2 ? bearer(key) : await startSession(maker, key);
        expect(await status(user, { ...shown, ...from })).toBe(200);
      }
    });

    test("a revocation on one node takes effect there at once, and soon on the other", async () => {
      const took: Record<"revoked" | "ofRevoked" | "closed", number[]> = {
        revoked: [],
        ofRevoked: [],
        closed: [],
      };
      const close = async (round: number) => {
        const [here, there] = round % 2 ? [one, two] : [two, one];
        const session = await startSession(here, (await createKey(here)).key);
        await Bun.sleep(round * 70);
        expect([await status(here, session), await status(there, session)]).toEqual([200, 200]);
        await here.call("/api/session", { method: "DELETE", headers: session });
        const elsewhere = refusedAfter(there, session);
        expect(await status(here, session)).toBe(401);
        took.closed.push(await elsewhere);
      };
      const closing = Promise.all(Array.from({ length: ROUNDS }, (_, round) => close(round)));
      // One by one: rejecting a credential also makes the node look for other revocations.
      for (let round = 0; round < ROUNDS; round++) {
        const [here, there] = round % 2 ? [one, two] : [two, one];
        const key = await createKey(here);
        const shown = [bearer(key.key), await startSession(there, key.key)];
        for (const headers of shown) expect(await status(there, headers)).toBe(200);
        await Bun.sleep(Math.random() * 250);
        await revoke(here, key);
        const elsewhere = Promise.all(shown.map((headers) => refusedAfter(there, headers)));
        expect(await Promise.all(shown.map((headers) => status(here, headers)))).toEqual([401, 401]);
        const [revoked = Number.NaN, ofRevoked = Number.NaN] = await elsewhere;
        took.revoked.push(revoked);
        took.ofRevoked.push(ofRevoked);
      }
      await closing;
      measurements[`${title}, ms`] = took;
      for (const times of Object.values(took)) {
        expect(times.length).toBe(ROUNDS);
        expect(Math.max(...times)).toBeLessThan(timeLimit(1000));
      }
    });
  });
}

describe("with PostgreSQL", () => {
  let database: FreshDatabase;
  let one: Roster;
  let two: Roster;
  beforeAll(async () => {
    database = await freshDatabase();
    [one, two] = await Promise.all([start(database.url), start(database.url)]);
  });
  afterAll(async () => {
    for (const roster of [one, two]) roster.kill("SIGKILL");
    await Promise.all([one.exited, two.exited]);
    await database.drop();
  });

  /** Sends about a hundred requests a second until one is not admitted. Returns the times of the others. */
  async function callUntil(roster: Roster, key: string, isOver: () => boolean): Promise<number[]> {
    const admitted: number[] = [];
    const caller = async () => {
      for (; !isOver(); await Bun.sleep(20)) {
        const sent = performance.now();
        if ((await status(roster, bearer(key)).catch(() => 0)) !== 200) return;
        admitted.push(sent);
      }
    };
    await Promise.all([caller(), caller()]);
    return admitted.sort((a, b) => a - b);
  }

  test.concurrent("two nodes exceed a quota only until they have added up their usage, and each call counts once", async () => {
    const quota = 150;
    const created = await createKey(one, { quota });
    const admitted = (
      await Promise.all([one, two].map((roster) => callUntil(roster, created.key, () => false)))
    ).flat();
    const last = Math.max(...admitted);
    const lately = admitted.filter((sent) => sent > last - 1500).length;
    measurements.quota = { quota, admitted: admitted.length, inItsLastSeconds: lately };
    // Each node alone admits no more than the quota. Nodes add up their usage every second.
    expect(admitted.length - quota).toBeWithin(0, STRICT_TIMES ? Math.min(lately, quota) : quota + 1);
    await until(async () => (await usage(one, created)) === admitted.length);
    for (const roster of [one, two]) expect(await status(roster, bearer(created.key))).toBe(429);
  });

  test.concurrent("sequential calls exceed a quota by at most one on a node that has not read the usage yet", async () => {
    const created = await createKey(one, { quota: 2 });
    const statuses: number[] = [];
    for (let call = 0; call < 5; call++) {
      const before = await usage(one, created);
      const got = await status(call % 2 ? two : one, bearer(created.key));
      statuses.push(got);
      if (got === 200) await until(async () => (await usage(one, created)) > before);
    }
    measurements.pacedOfQuota2 = statuses.filter((each) => each === 200).length;
    expect(statuses.slice(0, 2)).toEqual([200, 200]);
    expect(statuses.slice(3)).toEqual([429, 429]);
  });

  test.concurrent("usage is exact after a stop, and misses only the last calls after kill -9", async () => {
    const [stopped, killed] = await Promise.all([start(database.url), start(database.url)]);
    const keys = [await createKey(one), await createKey(one), await createKey(one)] as const;
    let isOver = false;
    const work = [
      callUntil(stopped, keys[0].key, () => isOver),
      callUntil(one, keys[0].key, () => isOver),
      callUntil(killed, keys[1].key, () => isOver),
    ];
    await Bun.sleep(2500);
    await until(async () => (await usage(one, keys[1])) > 0);
    isOver = true;
    const [byStopped = [], byOne = [], byKilled = []] = await Promise.all(work);
    let calls = 0;
    const lately = callUntil(stopped, keys[2].key, () => calls++ < 0);
    await until(() => calls > 5);
    stopped.kill("SIGTERM");
    killed.kill("SIGKILL");
    const diedAt = performance.now();
    const inTheEnd = (await lately).length;
    expect(await stopped.exited).toEqual({ code: 0, signal: null });
    await killed.exited;
    await until(async () => (await usage(one, keys[0])) === byStopped.length + byOne.length);
    expect(await usage(one, keys[2])).toBe(inTheEnd);
    const counted = await usage(one, keys[1]);
    const lost = byKilled.length - counted;
    const lastCalls = byKilled.filter((sent) => sent > diedAt - 2000).length;
    measurements.killed = { calls: byKilled.length, lost, inItsLastTwoSeconds: lastCalls };
    expect(counted).toBeGreaterThan(0);
    expect(lost).toBeWithin(0, (STRICT_TIMES ? lastCalls : byKilled.length) + 1);
  });

  test.concurrent("while the database is down, known keys work, unknown keys get 503, and usage is saved when it is back", async () => {
    const server = await startPostgres();
    const roster = await start(server.url(), ["--database-wait=1000"]);
    const known = await createKey(roster);
    const session = await startSession(roster, known.key);
    const revoked = await createKey(roster);
    await revoke(roster, revoked);
    const before = await status(roster, bearer(known.key));
    await server.kill9();
    const away = performance.now();
    const seen = new Set<number>();
    let calls = before === 200 ? 1 : 0;
    for (; performance.now() < away + 1500; await Bun.sleep(50)) {
      seen.add(await status(roster, bearer(known.key)));
      calls++;
    }
    expect(seen).toEqual(new Set([503]));
    expect(await status(roster, bearer(apiKey))).toBe(503);
    expect(await status(roster, bearer(createSecret()))).toBe(503);
    expect(await status(roster, bearer(revoked.key))).toBe(503);
    expect(await status(roster, session)).toBe(503);
    expect(await status(roster, {})).toBe(401);
    expect(await status(roster, bearer("roster_nonsense"))).toBe(401);
    const alarms = roster.stdout.filter((line) => /"level":"(error|warn)"/.test(line));
    expect(alarms.map((line) => JSON.parse(line).message)).toEqual(["database lost"]);
    await server.start();
    await until(async () => (await status(roster, bearer(apiKey))) === 200);
    await until(async () => (await usage(roster, known)) === calls);
    expect(await status(roster, bearer(createSecret()))).toBe(401);
    expect(await status(roster, session)).toBe(200);
    await server.destroy();
  });
});
