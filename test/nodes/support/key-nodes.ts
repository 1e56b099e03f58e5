import { expect } from "bun:test";
import { join } from "node:path";
import type { CreatedKey } from "../../../src/client/index.ts";
import { createSecret } from "../../../src/contract/keys/key-secret.ts";
import { bearer, startSession } from "../../support/credentials.ts";
import { type FreshDatabase, freshDatabase, pooler } from "../../support/postgres/fresh-database.ts";
import { type Roster, startRoster, temporaryFolder } from "../../support/process/roster.ts";

/** The key of all nodes, with every scope. */
export const apiKey = createSecret();

/** The databases that nodes can share. */
export const databases = [
  { title: "on two nodes with one PostgreSQL", open: freshDatabase },
  {
    title: "with two processes on one SQLite file",
    open: async () => ({ url: join(temporaryFolder(), "r.db"), drop: async () => {} }),
  },
] as const;

export interface TwoNodes {
  readonly one: Roster;
  readonly two: Roster;
  readonly url: string;
  stop(): Promise<void>;
}

export async function startTwoNodes(open: () => Promise<FreshDatabase>): Promise<TwoNodes> {
  const { url, drop } = await open();
  const [one, two] = await Promise.all([startKeyNode(url), startKeyNode(url)]);
  const stop = async () => {
    for (const node of [one, two]) node.kill("SIGKILL");
    await Promise.all([one.exited, two.exited]);
    await drop();
  };
  return { one, two, url, stop };
}

export const startKeyNode = (database: string, more: readonly string[] = []) =>
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

export async function createKey(roster: Roster, more: object = {}): Promise<CreatedKey> {
  const body = { name: "shared", scopes: ["users:read"], ...more };
  const response = await roster.call("/api/keys", { method: "POST", json: body, headers: bearer(apiKey) });
  expect(response.status).toBe(201);
  return await response.json();
}

/** Sends each request from a new address, because failed attempts are counted per address. */
let requestCount = 0;
export async function status(roster: Roster, headers: Record<string, string>): Promise<number> {
  const from = { "x-forwarded-for": `20.0.${Math.floor(requestCount / 256) % 256}.${requestCount++ % 256}` };
  const response = await roster.call("/api/users?limit=1", { headers: { ...from, ...headers } });
  await response.text();
  return response.status;
}

export async function revoke(roster: Roster, { id }: CreatedKey): Promise<void> {
  const response = await roster.call(`/api/keys/${id}`, { method: "DELETE", headers: bearer(apiKey) });
  expect(response.status).toBe(204);
}

export async function usage(roster: Roster, { id }: CreatedKey): Promise<number> {
  const response = await roster.call(`/api/keys/${id}`, { headers: bearer(apiKey) });
  const key: CreatedKey = await response.json();
  return key.usage.requests;
}

/** Milliseconds until each credential was rejected by the other node. */
interface RevocationTimes {
  readonly revoked: number[];
  readonly ofRevoked: number[];
  readonly closed: number[];
}

/**
 * Revokes keys and closes sessions on one node, in turn. Expects that this node rejects them at once, and that the other node
 * rejects them, too.
 */
export async function revokeInRounds({ one, two }: TwoNodes, rounds: number): Promise<RevocationTimes> {
  const took: RevocationTimes = { revoked: [], ofRevoked: [], closed: [] };
  const close = async (round: number) => {
    const [here, there] = round % 2 ? [one, two] : [two, one];
    const session = await startSession(here, (await createKey(here)).key);
    // At different times between two reads of the other node.
    await Bun.sleep(round * 70);
    expect([await status(here, session), await status(there, session)]).toEqual([200, 200]);
    await here.call("/api/session", { method: "DELETE", headers: session });
    const elsewhere = refusedAfter(there, session);
    expect(await status(here, session)).toBe(401);
    took.closed.push(await elsewhere);
  };
  const closing = Promise.all(Array.from({ length: rounds }, (_, round) => close(round)));
  // One by one: rejecting a credential also makes the node look for other revocations.
  for (let round = 0; round < rounds; round++) {
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
  for (const times of Object.values(took)) expect(times).toHaveLength(rounds);
  return took;
}

async function refusedAfter(roster: Roster, headers: Record<string, string>): Promise<number> {
  const begin = performance.now();
  await roster.until(async () => (await status(roster, headers)) !== 200);
  expect(await status(roster, headers)).toBe(401);
  return Math.round(performance.now() - begin);
}

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

/** Uses up a quota on both nodes. Returns how many more requests were admitted, and how many in the last 1.5 seconds. */
export async function exceedQuota({ one, two }: TwoNodes) {
  const quota = 150;
  const created = await createKey(one, { quota });
  const calls = await Promise.all([one, two].map((roster) => callUntil(roster, created.key, () => false)));
  const admitted = calls.flat();
  const last = Math.max(...admitted);
  const lately = admitted.filter((sent) => sent > last - 1500).length;
  await one.until(async () => (await usage(one, created)) === admitted.length);
  for (const roster of [one, two]) expect(await status(roster, bearer(created.key))).toBe(429);
  return { quota, excess: admitted.length - quota, lately };
}

/**
 * Stops one node, whose usage must be exact, and kills another one. Returns the calls on the killed node, how many of them are
 * not in its usage, and how many it got in its last two seconds.
 */
export async function loseUsage({ one, url }: TwoNodes, runLonger: () => Promise<unknown>) {
  const [stopped, killed] = await Promise.all([startKeyNode(url), startKeyNode(url)]);
  const keys = [await createKey(one), await createKey(one), await createKey(one)] as const;
  let isOver = false;
  const work = [
    callUntil(stopped, keys[0].key, () => isOver),
    callUntil(one, keys[0].key, () => isOver),
    callUntil(killed, keys[1].key, () => isOver),
  ];
  await runLonger();
  await killed.until(async () => (await usage(one, keys[1])) > 0);
  isOver = true;
  const [byStopped = [], byOne = [], byKilled = []] = await Promise.all(work);
  let calls = 0;
  const lately = callUntil(stopped, keys[2].key, () => calls++ < 0);
  await stopped.until(() => calls > 5);
  stopped.kill("SIGTERM");
  killed.kill("SIGKILL");
  const diedAt = performance.now();
  const inTheEnd = (await lately).length;
  expect(await stopped.exited).toEqual({ code: 0, signal: null });
  await killed.exited;
  await one.until(async () => (await usage(one, keys[0])) === byStopped.length + byOne.length);
  expect(await usage(one, keys[2])).toBe(inTheEnd);
  const counted = await usage(one, keys[1]);
  expect(counted).toBeGreaterThan(0);
  const lastCalls = byKilled.filter((sent) => sent > diedAt - 2000).length;
  return { calls: byKilled.length, lost: byKilled.length - counted, lastCalls };
}
