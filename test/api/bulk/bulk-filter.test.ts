import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { ApiError, type ChangedUser, createClient, type Users } from "../../../src/client/index.ts";
import { exportUsers, importBody, NDJSON, toNdjson } from "../../support/bulk-requests.ts";
import { bearer } from "../../support/credentials.ts";
import { onEachEngine } from "../../support/engines.ts";
import { startService, type TestService } from "../../support/service.ts";
import { until } from "../../support/until.ts";

setDefaultTimeout(120_000);

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** Results without the ids of requests. */
const comparable = (results: readonly ChangedUser[]) =>
  results.map(({ id, status, problem }) => ({ id, status, type: problem?.type, detail: problem?.detail }));

onEachEngine((engine) => {
  let service: TestService;
  let users: Users;
  let cohorts = 0;
  beforeAll(async () => {
    service = await startService({}, engine);
    users = service.roster.users;
  }, 120_000);
  afterAll(() => service.stop());

  /** Creates users in a cohort of their own. `match` is the start of an expression that finds only them. */
  const createCohort = async (count: number, note = "") => {
    const cohort = `f${++cohorts}`;
    const records = Array.from({ length: count }, (_, n) => ({ name: `User ${n}`, cohort, n, note }));
    const { lines } = await importBody(service, NDJSON, toNdjson(records));
    return { cohort, match: `cohort eq "${cohort}"`, ids: lines.map(({ id }) => id ?? 0) };
  };
  const versionsOf = async (cohort: string) =>
    (await exportUsers(service, `?cohort=${cohort}`)).map(({ version }) => version);
  /** A client over the socket, without the checks that read every response to its end. */
  const openClient = () => createClient({ baseUrl: service.url, retries: 3, onRetry: () => undefined }).users;

  describe("a bulk change by filter", () => {
    test("applies a patch to every user that matches, in the order of the ids", async () => {
      const { cohort, match, ids } = await createCohort(1203);
      const change = { filter: `${match} and n lt 1100`, patch: { plan: "pro", n: null } };
      expect(await users.bulk(change).count()).toBe(1100);
      expect(await versionsOf(cohort)).toEqual(ids.map(() => 1));
      const results = await collect(users.bulk(change));
      expect(results).toEqual(ids.slice(0, 1100).map((id) => ({ id, status: 200 })));
      expect(await versionsOf(cohort)).toEqual(ids.map((_, n) => (n < 1100 ? 2 : 1)));
      expect(await users.bulk(change).count()).toBe(0);
      expect(await collect(users.bulk(change))).toEqual([]);
    });

    test("deletes every user that matches", async () => {
      const { cohort, match, ids } = await createCohort(700);
      const change = { filter: `${match} and n ge 50`, delete: true } as const;
      expect(await users.bulk(change).summary()).toEqual({ changed: 650, failed: 0, failures: [] });
      expect((await exportUsers(service, `?cohort=${cohort}`)).map(({ id }) => id)).toEqual(ids.slice(0, 50));
    });

    test.each([
      ["into", "n lt 600", { n: 0 }, 600],
      ["out of", "n ge 600", { n: 0 }, 600],
      ["into and out of", "not (seen pr)", { seen: true }, 1200],
    ])("changes a user that the patch moves %s the filter once", async (_, condition, patch, count) => {
      const { cohort, match } = await createCohort(1200);
      const summary = await users.bulk({ filter: `${match} and ${condition}`, patch }).summary();
      expect(summary).toEqual({ changed: count, failed: 0, failures: [] });
      expect(new Set(await versionsOf(cohort))).toEqual(new Set(count === 1200 ? [2] : [1, 2]));
    });

    test("of some users that fails does not stop the others", async () => {
      const { match, ids } = await createCohort(3);
      const results = await collect(
        users.bulk({ filter: match, patch: { email: `one${cohorts}@filter.example` } }),
      );
      expect(results.map(({ id, status, problem }) => [id, status, problem?.type])).toEqual([
        [ids[0], 200, undefined],
        [ids[1], 409, "/problems/email-taken"],
        [ids[2], 409, "/problems/email-taken"],
      ]);
    });

    test("leaves out users that were created after it began", async () => {
      const { cohort, match, ids } = await createCohort(1100);
      let late = 0;
      for await (const { id } of openClient().bulk({ filter: match, patch: { late: false } })) {
        if (id === ids[0]) late = (await users.create({ name: "Late", cohort })).id;
        expect(id).not.toBe(late);
      }
      expect((await users.get(late)).version).toBe(1);
      expect(new Set(await versionsOf(cohort))).toEqual(new Set([1, 2]));
    });

    test.each([
      [500, "small"],
      [1000, "small"],
      [730, "small"],
      [90, "large"],
    ])("of %d %s users with an Idempotency-Key runs once, whatever matches later", async (count, size) => {
      const { cohort, match } = await createCohort(count, size === "large" ? "x".repeat(12_000) : "");
      const email = `once${cohorts}@filter.example`;
      const options = { idempotencyKey: `filter ${count}` };
      const change = { filter: `${match} and not (email pr)`, patch: { email } };
      const first = await collect(users.bulk(change, options));
      expect(first.filter(({ status }) => status === 409)).toHaveLength(count - 1);
      await users.create({ name: "Matches later", cohort });
      expect(comparable(await collect(users.bulk(change, options)))).toEqual(comparable(first));
      expect((await versionsOf(cohort)).filter((version) => version === 2)).toHaveLength(1);
      for (const other of [
        { ...change, filter: match },
        { ...change, patch: {} },
      ]) {
        expect(await users.bulk(other, options).summary().catch(String)).toContain("idempotency-mismatch");
      }
    });

    test("of no user with an Idempotency-Key changes no user later, either", async () => {
      const options = { idempotencyKey: "filter of nobody" };
      const change = { filter: 'cohort eq "nobody yet"', delete: true } as const;
      expect(await collect(users.bulk(change, options))).toEqual([]);
      const { id } = await users.create({ name: "Later", cohort: "nobody yet" });
      expect(await collect(users.bulk(change, options))).toEqual([]);
      expect((await users.get(id)).version).toBe(1);
    });

    test.each(["patch", "delete"])(
      "that was interrupted continues with its Idempotency-Key: %s",
      async (what) => {
        const { cohort, match, ids } = await createCohort(1700);
        const change =
          what === "patch"
            ? ({ filter: `${match} and not (seen pr)`, patch: { seen: true } } as const)
            : ({ filter: match, delete: true } as const);
        const options = { idempotencyKey: `interrupted ${what}` };
        const client = openClient();
        for await (const { id } of client.bulk(change, options)) if (id === ids[10]) break;
        // The client repeats the request while the service has not noticed the lost connection.
        const results = await collect(client.bulk(change, options));
        expect(results).toEqual(ids.map((id) => ({ id, status: what === "patch" ? 200 : 204 })));
        expect(await versionsOf(cohort)).toEqual(what === "patch" ? ids.map(() => 2) : []);
      },
    );

    test.each([
      ["", 1],
      ["  ", 3],
      ["level ge", 9],
      ['department = "sales"', 12],
      ['department eq "sales" and', 26],
    ])("with the filter %j is 422, with the position of the error", async (filter, position) => {
      for (const query of ["", "?dryRun=true"]) {
        const response = await service.call(`/api/users/bulk${query}`, {
          method: "POST",
          json: { filter, delete: true },
        });
        const { type, errors } = await response.json();
        expect([response.status, type]).toEqual([422, "/problems/invalid-bulk"]);
        expect(errors).toEqual([
          {
            pointer: "/filter",
            detail: expect.stringContaining(`Character ${position}: expected `),
            position,
          },
        ]);
      }
    });
  });

  test("concurrent changes by filter lose no update", async () => {
    const { cohort, match } = await createCohort(1100);
    const changes = [{ a: 1 }, { b: 1 }, { c: 1 }].map((patch) =>
      users.bulk({ filter: match, patch }).summary(),
    );
    for (const { changed } of await Promise.all(changes)) expect(changed).toBe(1100);
    const found = await exportUsers(service, `?cohort=${cohort}`);
    expect(found.every(({ a, b, c, version }) => a === 1 && b === 1 && c === 1 && version === 4)).toBe(true);
  });

  test("of three concurrent changes that move users out of the filter, each user gets one", async () => {
    const { cohort, match } = await createCohort(1100);
    const takers = ["x", "y", "z"].map((taker) =>
      users.bulk({ filter: `${match} and not (taker pr)`, patch: { taker } }).summary(),
    );
    const changed = (await Promise.all(takers)).reduce((sum, summary) => sum + summary.changed, 0);
    expect(changed).toBe(1100);
    expect(new Set(await versionsOf(cohort))).toEqual(new Set([2]));
  });
});

describe("with a key, a bulk change by filter", () => {
  let service: TestService;
  let manager: string;
  const change = { filter: "name pr", patch: { x: 1 } };
  beforeAll(async () => {
    service = await startService();
    const scopes = ["users:read", "users:write", "keys:manage"];
    manager = (
      await (await service.call("/api/keys", { method: "POST", json: { name: "manager", scopes } })).json()
    ).key;
    const records = toNdjson(Array.from({ length: 2500 }, (_, n) => ({ name: `User ${n}` })));
    await importBody(service, NDJSON, records, bearer(manager));
  });
  afterAll(() => service.stop());

  const createKey = async (scopes: string[], limits: object): Promise<string> => {
    const body = { name: "k", scopes, ...limits };
    return (
      await (await service.call("/api/keys", { method: "POST", json: body, headers: bearer(manager) })).json()
    ).key;
  };
  const openClient = (apiKey: string) => createClient({ baseUrl: service.url, apiKey, retries: 0 }).users;

  test("needs the scope users:read too", async () => {
    const key = bearer(await createKey(["users:write"], {}));
    for (const query of ["", "?dryRun=true"]) {
      const response = await service.call(`/api/users/bulk${query}`, {
        method: "POST",
        json: change,
        headers: key,
      });
      const { type, detail } = await response.json();
      expect([response.status, type]).toEqual([403, "/problems/insufficient-scope"]);
      expect(detail).toBe("A key with the scope users:read is required.");
    }
  });

  test("ends when its caller disconnects", async () => {
    // The change waits after 1000 users, for one more request of the rate limit.
    const rateLimit = { requests: 2, seconds: 86_400 };
    const key = await createKey(["users:read", "users:write"], { rateLimit });
    let seen = 0;
    for await (const _ of openClient(key).bulk(change)) if (++seen === 1000) break;
    await until(async () => {
      const metrics = await (await service.call("/metrics", { headers: bearer(manager) })).text();
      return /^roster_bulk_streams 0$/m.test(metrics);
    });
    expect(await openClient(manager).bulk({ filter: "x eq 1", delete: true }).count()).toBe(1000);
  });

  test("counts as one request for each 500 users", async () => {
    const createLimited = () => createKey(["users:read", "users:write"], { quota: 4 });
    const counted = openClient(await createLimited())
      .bulk(change)
      .count();
    expect(await counted.catch(String)).toContain("429 quota-exceeded");
    const results: ChangedUser[] = [];
    const users = openClient(await createLimited());
    const run = (async () => {
      for await (const result of users.bulk(change)) results.push(result);
    })();
    const error: unknown = await run.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ApiError);
    expect(String(error)).toContain("This user and the users after it were not changed. The change ended");
    expect(results).toHaveLength(2001);
    expect(results.at(-1)).toMatchObject({ id: 2001, status: 429 });
  });
});
