import { beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { scopes } from "../../src/contract/keys/key.ts";
import type { CreatedKey, Key } from "../../src/contract/keys/key-schemas.ts";
import { bearer } from "../support/credentials.ts";
import { onEachEngine } from "../support/engines.ts";
import { readResponse } from "../support/responses.ts";
import { until } from "../support/until.ts";
import {
  type InvalidKey,
  invalidExpiries,
  invalidNames,
  invalidQuotas,
  invalidRateLimits,
  invalidReplacements,
  invalidScopes,
  notObjects,
  severalErrors,
  unknownFields,
} from "./access/support/invalid-keys.ts";
import { KeyAdmin } from "./access/support/key-admin.ts";

setDefaultTimeout(120_000);

const HOUR = 3_600_000;
const valid = { name: "ci", scopes: ["users:read"] };
const inAnHour = () => new Date(Date.now() + HOUR).toISOString();
const withoutSecret = ({ key: _, ...record }: CreatedKey): Key => record;

onEachEngine((engine) => {
  const admin = new KeyAdmin(engine);
  let first: CreatedKey;
  beforeAll(async () => {
    first = await admin.createKey({ name: "first", scopes });
  });

  describe("POST /api/keys", () => {
    test("201: returns the key with its secret, which no other response has", async () => {
      const expiresAt = inAnHour();
      const rateLimit = { requests: 10, seconds: 60 };
      const body = {
        name: " ci ",
        scopes: ["keys:manage", "users:read"],
        expiresAt,
        rateLimit,
        quota: 1000,
      };
      const { status, headers, text } = await readResponse(
        admin.call("/api/keys", { method: "POST", json: body }),
      );
      const created: CreatedKey = JSON.parse(text);
      expect(status).toBe(201);
      expect(headers.get("location")).toBe(`/api/keys/${created.id}`);
      expect(headers.get("cache-control")).toBe("no-store");
      expect(created).toEqual({
        id: first.id + 1,
        name: "ci",
        prefix: created.key.slice(0, 12),
        scopes: ["users:read", "keys:manage"],
        createdAt: expect.any(String),
        expiresAt,
        revokedAt: null,
        lastUsedAt: null,
        rateLimit,
        quota: 1000,
        usage: { month: created.createdAt.slice(0, 7), requests: 0 },
        key: expect.stringMatching(/^roster_[0-9A-Za-z]{36}$/),
      });
      expect(Date.parse(created.createdAt)).toBeWithin(Date.now() - 60_000, Date.now() + 1);
      expect(await admin.readKey(created)).toEqual(withoutSecret(created));
      const lists = await readResponse(admin.call("/api/keys"));
      expect(lists.text).not.toContain(created.key.slice(12));
      expect(await admin.authenticate(bearer(created.key))).toBe("good");
    });

    test("201: expiry, rate limit and quota are null if omitted or null", async () => {
      const none = { expiresAt: null, rateLimit: null, quota: null };
      for (const body of [valid, { ...valid, ...none }])
        expect(await admin.createKey(body)).toMatchObject(none);
    });

    test("201: keys with the same name have different ids, secrets and prefixes", async () => {
      const created = await Promise.all(Array.from({ length: 20 }, () => admin.createKey(valid)));
      for (const field of ["id", "key", "prefix"] as const) {
        expect(new Set(created.map((key) => key[field])).size).toBe(20);
      }
    });

    test.each([
      ["a name of 100 emoji", { ...valid, name: "🔑".repeat(100) }],
      ["a time with an offset", { ...valid, expiresAt: "2090-01-31T12:00:00+02:00" }],
      ["a time in lower case", { ...valid, expiresAt: "2090-01-31t12:00:00z" }],
      ["a time in nanoseconds", { ...valid, expiresAt: "2090-01-31T12:00:00.123456789Z" }],
      ["an expiry on a leap day", { ...valid, expiresAt: "2088-02-29T23:59:59Z" }],
      ["the latest day", { ...valid, expiresAt: "9999-12-31T00:00:00Z" }],
      ["the highest rate limit", { ...valid, rateLimit: { requests: 1_000_000, seconds: 86_400 } }],
      ["the lowest rate limit", { ...valid, rateLimit: { requests: 1, seconds: 86_400 } }],
      ["the largest quota", { ...valid, quota: 1_000_000_000_000 }],
    ])("201: accepts %s", async (_, body) => {
      const created = await admin.createKey(body);
      const { expiresAt, ...rest } = { expiresAt: null, ...body };
      expect(created).toMatchObject(rest);
      expect(Date.parse(created.expiresAt ?? "")).toEqual(Date.parse(expiresAt ?? ""));
    });
  });

  describe("POST /api/keys with replaces", () => {
    const old = { name: "old", scopes: ["users:read"], rateLimit: { requests: 5, seconds: 1 }, quota: 9 };

    test("copies omitted fields and the lifetime of the old key", async () => {
      const replaced = await admin.createKey({ ...old, expiresAt: inAnHour() });
      admin.clock.jump(1000);
      const replacement = await admin.createKey({ replaces: replaced.id, graceSeconds: 60 });
      expect(replacement).toMatchObject(old);
      const lifetime = ({ createdAt, expiresAt }: Key) => Date.parse(expiresAt ?? "") - Date.parse(createdAt);
      expect(Math.abs(lifetime(replacement) - lifetime(replaced))).toBeLessThan(60_000);
      expect(Date.parse(replacement.expiresAt ?? "")).toBeGreaterThan(Date.parse(replaced.expiresAt ?? ""));
      expect((await admin.createKey({ replaces: first.id, graceSeconds: 60 })).expiresAt).toBeNull();
    });

    test("uses the fields of the request, even null", async () => {
      const requested = {
        name: "new",
        scopes: ["users:write"],
        rateLimit: null,
        quota: null,
        expiresAt: null,
      };
      const replaced = await admin.createKey({ ...old, expiresAt: inAnHour() });
      expect(await admin.createKey({ ...requested, replaces: replaced.id, graceSeconds: 0 })).toMatchObject(
        requested,
      );
    });

    test("never extends a key past the latest day", async () => {
      const last = "9999-12-31T00:00:00.000Z";
      let { id } = await admin.createKey({ ...valid, expiresAt: last });
      for (let generation = 0; generation < 3; generation++) {
        admin.clock.jump(1000);
        const replacement = await admin.createKey({ replaces: id, graceSeconds: 0 });
        expect(replacement.expiresAt).toBe(last);
        id = replacement.id;
      }
    });
  });

  describe("GET /api/keys", () => {
    test("lists every key once, by id, in pages linked by Link", async () => {
      await Promise.all(Array.from({ length: 100 }, () => admin.createKey(valid)));
      const all = (await admin.listKeys()).map(({ id }) => id);
      expect(all.length).toBeGreaterThan(100);
      expect(all).toEqual([...new Set(all)].sort((a, b) => a - b));
      for (const [query, size] of [
        ["", 100],
        ["?limit=7", 7],
        [`?limit=${all.length}`, all.length],
      ] as const) {
        const listedIds: number[] = [];
        let path: string | undefined = `/api/keys${query}`;
        while (path) {
          const { text, headers } = await readResponse(admin.call(path));
          const page: Key[] = JSON.parse(text);
          listedIds.push(...page.map(({ id }) => id));
          path = /^<([^>]+)>; rel="next"$/.exec(headers.get("link") ?? "")?.[1];
          expect(page.length).toBe(path ? size : all.length % size || size);
        }
        expect(listedIds).toEqual(all);
      }
    });

    test("continues after any id, even if no key has it", async () => {
      const after = async (id: number) => await (await admin.call(`/api/keys?after=${id}`)).json();
      expect((await after(first.id))[0].id).toBe(first.id + 1);
      expect(await after(9_007_199_254_740_991)).toEqual([]);
    });

    test.each([
      ...["limit=0", "limit=1001", "limit=-1", "limit=1.5", "limit=all", "limit=", "limit=1e2"],
      ...["limit=1&limit=2", "after=0", "after=x", "after=-1", "after=", "after=1&after=2"],
      ...["after=9007199254740992", "offset=1", "sort=name", "name=ci", "q=ci", "constructor=1", "=1"],
    ])("400: rejects ?%s", async (query) => {
      const { status, problem } = await readResponse(admin.call(`/api/keys?${query}`));
      expect([status, problem?.type]).toEqual([400, "/problems/invalid-query"]);
      expect(problem?.errors?.map(({ parameter }) => parameter)).toContain(query.split("=")[0] ?? "");
    });

    test("400: lists every error of a query", async () => {
      const { problem } = await readResponse(admin.call("/api/keys?limit=0&after=x&sort=id"));
      const parameters = problem?.errors?.map(({ parameter }) => parameter).sort();
      expect(parameters).toEqual(["after", "limit", "sort"]);
    });
  });

  describe("/api/keys/{id}", () => {
    test.each([
      ...["999999", "0", "01", "-1", "1.5", "x", "1e3", "9007199254740992"],
      ...["%31x", "1%00", "null"],
    ])("404: key %s cannot be read or revoked", async (id) => {
      for (const method of ["GET", "DELETE"]) {
        const { status, problem } = await readResponse(admin.call(`/api/keys/${id}`, { method }));
        expect([status, problem?.type]).toEqual([404, "/problems/key-not-found"]);
      }
    });

    test("reports usage and last use a second after the requests", async () => {
      const created = await admin.createKey(valid);
      const before = admin.clock.now();
      for (let call = 0; call < 5; call++) await admin.call("/api/users", { headers: bearer(created.key) });
      // A rejected request does not count.
      expect((await admin.call("/api/keys", { headers: bearer(created.key) })).status).toBe(403);
      await admin.clock.advance(1000);
      await until(async () => (await admin.readKey(created)).usage.requests >= 5);
      const now = await admin.readKey(created);
      expect(now.usage).toEqual({ month: new Date().toISOString().slice(0, 7), requests: 5 });
      expect(Date.parse(now.lastUsedAt ?? "")).toBeWithin(before, admin.clock.now() + 1);
      const listed = (await admin.listKeys()).find(({ id }) => id === created.id);
      expect(listed).toEqual(now);
      expect((await admin.readKey(first)).lastUsedAt).toBeNull();
    });
  });

  function rejects(title: string, rows: readonly InvalidKey[]): void {
    describe(title, () => {
      test.each([...rows])("$name gives 422 invalid-key", async ({ body, pointers }) => {
        const { status, problem } = await readResponse(
          admin.call("/api/keys", { method: "POST", json: body }),
        );
        expect([status, problem?.type]).toEqual([422, "/problems/invalid-key"]);
        expect(problem?.errors?.map(({ pointer }) => pointer).sort()).toEqual([...pointers]);
      });
      test("the first key is unchanged afterwards", async () => {
        expect(await admin.readKey(first)).toMatchObject({ name: "first", revokedAt: null });
      });
    });
  }

  describe("an invalid key", () => {
    let before: number;
    beforeAll(async () => {
      before = (await admin.listKeys()).length;
    });
    rejects("that is not an object", notObjects);
    rejects("with an invalid name", invalidNames);
    rejects("with invalid scopes", invalidScopes);
    rejects("with an invalid expiry", invalidExpiries);
    rejects("with an invalid rate limit", invalidRateLimits);
    rejects("with an invalid quota", invalidQuotas);
    rejects("with an invalid replacement", invalidReplacements);
    rejects("with an unknown field", unknownFields);
    rejects("with several errors", severalErrors);

    test("with deep nesting is 422 invalid-key", async () => {
      const body = { ...valid, quota: JSON.parse(`${"[".repeat(5000)}${"]".repeat(5000)}`) };
      const { status, problem } = await readResponse(admin.call("/api/keys", { method: "POST", json: body }));
      expect([status, problem?.type]).toEqual([422, "/problems/invalid-key"]);
    });

    test("with a thousand unknown fields gets at most 100 errors", async () => {
      const body = Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`field${n}`.repeat(5), n]));
      const { status, problem } = await readResponse(admin.call("/api/keys", { method: "POST", json: body }));
      expect([status, problem?.errors?.length]).toEqual([422, 100]);
    });

    test("is not created", async () => {
      expect((await admin.listKeys()).length).toBe(before);
    });
  });
});
