import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import Value from "typebox/value";
import { BulkResult } from "../../../src/contract/bulk/bulk-schemas.ts";
import { exportUsers, importBody, NDJSON, toNdjson } from "../../support/bulk-requests.ts";
import { bearer } from "../../support/credentials.ts";
import { onEachEngine } from "../../support/engines.ts";
import { startService, type TestService } from "../../support/service.ts";

setDefaultTimeout(120_000);

onEachEngine((engine) => {
  let service: TestService;
  let cohorts = 0;
  beforeAll(async () => {
    service = await startService({}, engine);
  }, 120_000);
  afterAll(() => service.stop());

  const send = (body: unknown, query = "", headers: Record<string, string> = {}) =>
    service.call(`/api/users/bulk${query}`, { method: "POST", json: body, headers });
  const change = async (body: unknown, headers: Record<string, string> = {}) => {
    const response = await send(body, "", headers);
    expect([response.status, response.headers.get("content-type")]).toEqual([
      200,
      `${NDJSON}; charset=utf-8`,
    ]);
    const lines = (await response.text()).split("\n").slice(0, -1);
    return lines.map((line) => Value.Parse(BulkResult, JSON.parse(line)));
  };
  const withoutRequestIds = (results: readonly BulkResult[]) =>
    results.map(({ problem, ...rest }) => ({ ...rest, type: problem?.type, detail: problem?.detail }));
  /** Creates users in a cohort of their own. */
  const createCohort = async (count: number, note = "") => {
    const cohort = `g${++cohorts}`;
    const records = Array.from({ length: count }, (_, n) => ({
      name: `User ${n}`,
      email: `${cohort}u${n}@bulk.example`,
      cohort,
      n,
      note,
    }));
    const { lines } = await importBody(service, NDJSON, toNdjson(records));
    return { cohort, ids: lines.map(({ id }) => id ?? 0) };
  };

  describe("a bulk change", () => {
    test("applies a patch to every user, and returns a result for each, in order", async () => {
      const { cohort, ids } = await createCohort(1203);
      const shuffled = ids.toSorted((a, b) => (a % 7) - (b % 7) || a - b);
      const results = await change({
        ids: shuffled,
        patch: { plan: "pro", n: null, address: { city: "Oslo" } },
      });
      expect(results).toEqual(shuffled.map((id) => ({ id, status: 200 })));
      const users = await exportUsers(service, `?cohort=${cohort}`);
      for (const user of users) {
        expect(user).toMatchObject({ plan: "pro", address: { city: "Oslo" }, version: 2 });
        expect(user.n).toBeUndefined();
      }
      // A second time, nothing changes.
      await change({ ids, patch: { plan: "pro" } });
      expect(await exportUsers(service, `?cohort=${cohort}`)).toEqual(users);
      expect(await exportUsers(service, `?cohort=${cohort}&plan=pro&n=1`)).toEqual([]);
    });

    test("deletes every user", async () => {
      const { cohort, ids } = await createCohort(700);
      expect(await change({ ids, delete: true })).toEqual(ids.map((id) => ({ id, status: 204 })));
      expect(await exportUsers(service, `?cohort=${cohort}`)).toEqual([]);
      expect((await change({ ids: ids.slice(0, 2), delete: true })).map(({ status }) => status)).toEqual([
        404, 404,
      ]);
    });

    test("of some users that fails does not stop the others", async () => {
      const { ids } = await createCohort(4);
      const [first = 0, second = 0, third = 0, fourth = 0] = ids;
      await service.roster.users.update(third, { x: "x".repeat(16_000) });
      await service.roster.users.delete(fourth);
      const email = `taken${cohorts}@bulk.example`;
      const results = await change({
        ids: [first, second, third, fourth, 999_999_999],
        patch: { email, y: "y".repeat(500) },
      });
      expect(results.map(({ status }) => status)).toEqual([200, 409, 422, 404, 404]);
      expect(results[1]?.problem).toMatchObject({
        type: "/problems/email-taken",
        instance: "/api/users/bulk",
        errors: [{ pointer: "/email", detail: `${email} is already in use.` }],
      });
      expect((await service.roster.users.get(second)).version).toBe(1);
    });

    test("with an Idempotency-Key runs once, and another change with the same key is 422", async () => {
      const { ids } = await createCohort(600);
      await service.roster.users.delete(ids[3] ?? 0);
      const key = { "idempotency-key": `bulk ${engine}` };
      const body = { ids, delete: true };
      const first = await change(body, key);
      expect(first.filter(({ status }) => status === 204)).toHaveLength(599);
      expect(withoutRequestIds(await change(body, key))).toEqual(withoutRequestIds(first));
      for (const other of [
        { ids, patch: {} },
        { ids: ids.slice(0, 500), delete: true },
      ]) {
        expect((await send(other, "", key)).status).toBe(422);
      }
    });

    test("of large users with an Idempotency-Key runs once, also if the users are small when it is repeated", async () => {
      const { cohort, ids } = await createCohort(90, "x".repeat(12_000));
      const body = { ids: [...ids, 1e9], patch: { note: "short" } };
      const headers = { "idempotency-key": "large users" };
      const first = await change(body, headers);
      expect(first.map(({ id, status }) => [id, status])).toEqual([
        ...ids.map((id) => [id, 200]),
        [1e9, 404],
      ]);
      expect(withoutRequestIds(await change(body, headers))).toEqual(withoutRequestIds(first));
      const users = await exportUsers(service, `?cohort=${cohort}`);
      expect(new Set(users.map(({ version, note }) => `${version} ${note}`))).toEqual(new Set(["2 short"]));
      expect((await send({ ...body, ids }, "", headers)).status).toBe(422);
    });

    test("with dryRun=true returns the number of users that exist, and changes nothing", async () => {
      const { cohort, ids } = await createCohort(510);
      await service.roster.users.delete(ids[0] ?? 0);
      const before = await exportUsers(service, `?cohort=${cohort}`);
      for (const what of [{ delete: true }, { patch: { plan: "pro" } }]) {
        const response = await send({ ids: [...ids, ids[1], 999_999_999], ...what }, "?dryRun=true");
        expect([response.status, await response.json()]).toEqual([200, { count: 509 }]);
      }
      expect(await exportUsers(service, `?cohort=${cohort}`)).toEqual(before);
    });

    test.each([
      [[], ""],
      [{ ids: [1] }, ""],
      [{ ids: [1], patch: {}, delete: true }, ""],
      [{ patch: {} }, "/ids"],
      [{ ids: [], patch: {} }, "/ids"],
      [{ ids: "1", patch: {} }, "/ids"],
      [{ ids: Array.from({ length: 100_001 }, () => 1), patch: {} }, "/ids"],
      [{ ids: [1, "2"], patch: {} }, "/ids/1"],
      [{ ids: [0], patch: {} }, "/ids/0"],
      [{ ids: [1.5], patch: {} }, "/ids/0"],
      [{ ids: [1], delete: false }, "/delete"],
      [{ ids: [1], patch: [] }, "/patch"],
      [{ ids: [1], patch: { name: "" } }, "/patch/name"],
      [{ ids: [1], patch: { password: "x" } }, "/patch/password"],
      [{ filter: 'plan eq "pro"', ids: [1], patch: {} }, "/filter"],
      [{ ids: [1], restore: false }, "/restore"],
    ])("%# with an invalid body is 422, with a pointer", async (body, pointer) => {
      for (const query of ["", "?dryRun=true"]) {
        const response = await send(body, query);
        expect(response.status).toBe(422);
        const problem = await response.json();
        expect(problem.type).toBe("/problems/invalid-bulk");
        expect(problem.errors.map((error: { pointer: string }) => error.pointer)).toContain(pointer);
      }
    });

    test("with an invalid Idempotency-Key is 400, also with dryRun=true", async () => {
      for (const query of ["", "?dryRun=true"]) {
        const response = await send({ ids: [1], patch: {} }, query, { "idempotency-key": "x".repeat(256) });
        expect([response.status, (await response.json()).type]).toEqual([400, "/problems/invalid-header"]);
      }
    });

    test("with a body over 1 MiB is 413, and other media types are 415", async () => {
      const ids = Array.from({ length: 100_000 }, () => 1_000_000_000_000);
      expect((await send({ ids, patch: {} })).status).toBe(413);
      const headers = { "content-type": NDJSON };
      const response = await service.call("/api/users/bulk", { method: "POST", body: "{}", headers });
      expect([response.status, response.headers.get("accept-post")]).toEqual([415, "application/json"]);
      expect((await send({ ids: [1], patch: {} }, "?dryrun=true")).status).toBe(400);
    });
  });

  test("DELETE of /api/users is 405", async () => {
    expect((await service.call("/api/users", { method: "DELETE" })).status).toBe(405);
  });

  test("concurrent bulk changes and single changes lose no update", async () => {
    const { cohort, ids } = await createCohort(900);
    await Promise.all([
      change({ ids, patch: { a: 1 } }),
      change({ ids: ids.toReversed(), patch: { b: 1 } }),
      change({ ids, patch: { c: 1 } }),
      ...ids.slice(0, 50).map((id) => service.roster.users.update(id, { d: 1 })),
    ]);
    const users = await exportUsers(service, `?cohort=${cohort}`);
    expect(users.every(({ a, b, c }) => a === 1 && b === 1 && c === 1)).toBe(true);
    expect(users.filter(({ d }) => d === 1)).toHaveLength(50);
  });
});

test("a bulk change needs users:write, and each 500 users count as one request", async () => {
  const service = await startService();
  try {
    const manager = { name: "manager", scopes: ["users:read", "users:write", "keys:manage"] };
    const { key: secret } = await (await service.call("/api/keys", { method: "POST", json: manager })).json();
    const createKey = async (scopes: string[]) => {
      const body = { name: "k", scopes, quota: 4 };
      return (
        await (
          await service.call("/api/keys", { method: "POST", json: body, headers: bearer(secret) })
        ).json()
      ).key;
    };
    const bulk = (key: string, body: unknown) =>
      service.call("/api/users/bulk", { method: "POST", json: body, headers: bearer(key) });
    const records = toNdjson(Array.from({ length: 2500 }, (_, n) => ({ name: `User ${n}` })));
    const { lines } = await importBody(service, NDJSON, records, bearer(secret));
    const ids = lines.map(({ id }) => id);
    expect((await bulk(await createKey(["users:read"]), { ids, delete: true })).status).toBe(403);
    const results = (await (await bulk(await createKey(["users:write"]), { ids, patch: { x: 1 } })).text())
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line));
    expect(results).toHaveLength(2001);
    expect(results.at(-1)).toMatchObject({
      id: ids[2000],
      status: 429,
      problem: { type: "/problems/quota-exceeded" },
    });
    expect(results.at(-1).problem.detail).toEndWith("This user and the users after it were not changed.");
  } finally {
    await service.stop();
  }
});
