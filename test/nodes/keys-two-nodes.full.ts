import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { createSecret } from "../../src/contract/keys/key-secret.ts";
import { bearer, startSession } from "../support/credentials.ts";
import { startPostgresBeforeTests } from "../support/postgres/fresh-database.ts";
import { startPostgres } from "../support/postgres/server.ts";
import { stopAll } from "../support/process/roster.ts";
import { until } from "../support/until.ts";
import {
  apiKey,
  createKey,
  databases,
  exceedQuota,
  loseUsage,
  revoke,
  revokeInRounds,
  startKeyNode,
  startTwoNodes,
  status,
  type TwoNodes,
  usage,
} from "./support/key-nodes.ts";

setDefaultTimeout(120_000);
startPostgresBeforeTests();
afterAll(stopAll);

for (const { title, open } of databases) {
  describe(title, () => {
    let nodes: TwoNodes;
    beforeAll(async () => {
      nodes = await startTwoNodes(open);
    });
    afterAll(() => nodes.stop());

    test("a key created on one node works on the other at once, and so does its session", async () => {
      const { one, two } = nodes;
      // More requests than an address may send with wrong keys: these keys are valid.
      const from = { "x-forwarded-for": "192.0.2.1" };
      for (let round = 0; round < 50; round++) {
        const [maker, user] = round % 2 ? [one, two] : [two, one];
        const { key } = await createKey(maker);
        const shown = round % 4 < 2 ? bearer(key) : await startSession(maker, key);
        expect(await status(user, { ...shown, ...from })).toBe(200);
      }
    });

    test("a revocation on one node takes effect there at once, and soon on the other", () =>
      revokeInRounds(nodes, 2));
  });
}

describe("with PostgreSQL", () => {
  let nodes: TwoNodes;
  beforeAll(async () => {
    nodes = await startTwoNodes(databases[0].open);
  });
  afterAll(() => nodes.stop());

  test.concurrent("two nodes exceed a quota only until they have added up their usage, and each call counts once", async () => {
    const { quota, excess } = await exceedQuota(nodes);
    // Each node alone admits no more than the quota.
    expect(excess).toBeWithin(0, quota + 1);
  });

  test.concurrent("sequential calls exceed a quota by at most one on a node that has not read the usage yet", async () => {
    const { one, two } = nodes;
    const created = await createKey(one, { quota: 2 });
    const statuses: number[] = [];
    for (let call = 0; call < 5; call++) {
      const before = await usage(one, created);
      const got = await status(call % 2 ? two : one, bearer(created.key));
      statuses.push(got);
      if (got === 200) await until(async () => (await usage(one, created)) > before);
    }
    expect(statuses.slice(0, 2)).toEqual([200, 200]);
    expect(statuses.slice(3)).toEqual([429, 429]);
  });

  test.concurrent("usage is exact after a stop, and misses only the last calls after kill -9", async () => {
    const { calls, lost } = await loseUsage(nodes, async () => undefined);
    expect(lost).toBeWithin(0, calls);
  });

  test.concurrent("while the database is down, known keys work, unknown keys get 503, and usage is saved when it is back", async () => {
    const server = await startPostgres();
    const roster = await startKeyNode(server.url(), ["--database-wait=1000"]);
    const known = await createKey(roster);
    const session = await startSession(roster, known.key);
    const revoked = await createKey(roster);
    await revoke(roster, revoked);
    const before = await status(roster, bearer(known.key));
    await server.kill9();
    const seen = new Set<number>();
    let calls = before === 200 ? 1 : 0;
    await roster.until(async () => {
      seen.add(await status(roster, bearer(known.key)));
      calls++;
      return calls > 2 && roster.stdout.some((line) => line.includes("database lost"));
    });
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
    await roster.until(async () => (await status(roster, bearer(apiKey))) === 200);
    await roster.until(async () => (await usage(roster, known)) === calls);
    expect(await status(roster, bearer(createSecret()))).toBe(401);
    expect(await status(roster, session)).toBe(200);
    await server.destroy();
  });
});
