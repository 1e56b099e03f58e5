import { beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { scopes } from "../../src/contract/key.ts";
import type { Key, NewKey } from "../../src/contract/key-schemas.ts";
import { onEachEngine } from "../support/engines.ts";
import { bearer } from "./access/credentials.ts";
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
} from "./access/invalid-keys.ts";
import { KeyAdmin } from "./access/key-admin.ts";

setDefaultTimeout(120_000);

const HOUR = 3_600_000;
const good = { name: "ci", scopes: ["users:read"] };
const inAnHour = () => new Date(Date.now() + HOUR).toISOString();
const recordOf = ({ key: _, ...record }: NewKey): Key => record;

onEachEngine((engine) => {
  const admin = new KeyAdmin(engine);
  let first: NewKey;
  beforeAll(async () => {
    first = await admin.createKey({ name: "first", scopes });
  });

  describe("POST /api/keys", () => {
    test("201: the key is shown once, with all that was said of it", async () => {
      const expiresAt = inAnHour();
      const rateLimit = { requests: 10, seconds: 60 };
      const body = {
        name: " ci ",
        scopes: ["keys:manage", "users:read"],
        expiresAt,
        rateLimit,
        quota: 1000,
      };
      const { status, headers, text } = await admin.request("POST", "/api/keys", body);
      const made: NewKey = JSON.parse(text);
      expect(status).toBe(201);
      expect(headers.get("location")).toBe(`/api/keys/${made.id}`);
      expect(headers.get("cache-control")).toBe("no-store");
      expect(made).toEqual({
        id: first.id + 1,
        name: "ci",
        prefix: made.key.slice(0, 12),
        scopes: ["users:read", "keys:manage"],
        createdAt: expect.any(String),
        expiresAt,
        revokedAt: null,
        lastUsedAt: null,
        rateLimit,
        quota: 1000,
        usage: { month: made.createdAt.slice(0, 7), requests: 0 },
        key: expect.stringMatching(/^roster_[0-9A-Za-z]{36}$/),
      });
      expect(Date.parse(made.createdAt)).toBeWithin(Date.now() - 5000, Date.now() + 1);
      expect(await admin.readKey(made)).toEqual(recordOf(made));
      const lists = await admin.request("GET", "/api/keys");
      expect(lists.text).not.toContain(made.key.slice(12));
      expect(await admin.authenticate(bearer(made.key))).toBe("good");
    });

    test("201: without a word of them there is no expiry, no rate and no quota, and null says the same", async () => {
      const none = { expiresAt: null, rateLimit: null, quota: null };
      for (const body of [good, { ...good, ...none }])
        expect(await admin.createKey(body)).toMatchObject(none);
    });

    test("201: no two are alike, though they have one name", async () => {
      const made = await Promise.all(Array.from({ length: 20 }, () => admin.createKey(good)));
      for (const field of ["id", "key", "prefix"] as const) {
        expect(new Set(made.map((key) => key[field])).size).toBe(20);
      }
    });

    test.each([
      ["a name of 100 emoji", { ...good, name: "🔑".repeat(100) }],
      ["a moment with an offset", { ...good, expiresAt: "2090-01-31T12:00:00+02:00" }],
      ["a moment in lower case", { ...good, expiresAt: "2090-01-31t12:00:00z" }],
      ["a moment to the nanosecond", { ...good, expiresAt: "2090-01-31T12:00:00.123456789Z" }],
      ["a leap day", { ...good, expiresAt: "2088-02-29T23:59:59Z" }],
      ["the last of all days", { ...good, expiresAt: "9999-12-31T00:00:00Z" }],
      ["the highest rate", { ...good, rateLimit: { requests: 1_000_000, seconds: 86_400 } }],
      ["the lowest rate", { ...good, rateLimit: { requests: 1, seconds: 86_400 } }],
      ["the largest quota", { ...good, quota: 1_000_000_000_000 }],
    ])("201: %s is taken as it is", async (_, body) => {
      const made = await admin.createKey(body);
      const { expiresAt, ...rest } = { expiresAt: null, ...body };
      expect(made).toMatchObject(rest);
      expect(Date.parse(made.expiresAt ?? "")).toEqual(Date.parse(expiresAt ?? ""));
    });
  });

  describe("POST /api/keys with replaces", () => {
    const old = { name: "old", scopes: ["users:read"], rateLimit: { requests: 5, seconds: 1 }, quota: 9 };

    test("takes over what is not said, and lives as long as the old one was to live", async () => {
      const replaced = await admin.createKey({ ...old, expiresAt: inAnHour() });
      await Bun.sleep(20);
      const heir = await admin.createKey({ replaces: replaced.id, graceSeconds: 60 });
      expect(heir).toMatchObject(old);
      const lifetime = ({ createdAt, expiresAt }: Key) => Date.parse(expiresAt ?? "") - Date.parse(createdAt);
      expect(Math.abs(lifetime(heir) - lifetime(replaced))).toBeLessThan(1000);
      expect(Date.parse(heir.expiresAt ?? "")).toBeGreaterThan(Date.parse(replaced.expiresAt ?? ""));
      expect((await admin.createKey({ replaces: first.id, graceSeconds: 60 })).expiresAt).toBeNull();
    });

    test("does as it is told, where something is said, if only null", async () => {
      const said = { name: "new", scopes: ["users:write"], rateLimit: null, quota: null, expiresAt: null };
      const replaced = await admin.createKey({ ...old, expiresAt: inAnHour() });
      expect(await admin.createKey({ ...said, replaces: replaced.id, graceSeconds: 0 })).toMatchObject(said);
    });

    test("never gives a key past the last of all days", async () => {
      const last = "9999-12-31T00:00:00.000Z";
      let { id } = await admin.createKey({ ...good, expiresAt: last });
      for (let generation = 0; generation < 3; generation++) {
        await Bun.sleep(2);
        const heir = await admin.createKey({ replaces: id, graceSeconds: 0 });
        expect(heir.expiresAt).toBe(last);
        id = heir.id;
      }
    });
  });

  describe("GET /api/keys", () => {
    test("has every key once, in the order of their ids, in pages that follow each other by Link", async () => {
      await Promise.all(Array.from({ length: 100 }, () => admin.createKey(good)));
      const all = (await admin.listKeys()).map(({ id }) => id);
      expect(all.length).toBeGreaterThan(100);
      expect(all).toEqual([...new Set(all)].sort((a, b) => a - b));
      for (const [query, size] of [
        ["", 100],
        ["?limit=7", 7],
        [`?limit=${all.length}`, all.length],
      ] as const) {
        const met: number[] = [];
        let path: string | undefined = `/api/keys${query}`;
        while (path) {
          const { text, headers } = await admin.request("GET", path);
          const page: Key[] = JSON.parse(text);
          met.push(...page.map(({ id }) => id));
          path = /^<([^>]+)>; rel="next"$/.exec(headers.get("link") ?? "")?.[1];
          expect(page.length).toBe(path ? size : all.length % size || size);
        }
        expect(met).toEqual(all);
      }
    });

    test("goes on after any id, though there is no key any more that has it", async () => {
      const after = async (id: number) =>
        JSON.parse((await admin.request("GET", `/api/keys?after=${id}`)).text);
      expect((await after(first.id))[0].id).toBe(first.id + 1);
      expect(await after(9_007_199_254_740_991)).toEqual([]);
    });

    test.each([
      ...["limit=0", "limit=1001", "limit=-1", "limit=1.5", "limit=all", "limit=", "limit=1e2"],
      ...["limit=1&limit=2", "after=0", "after=x", "after=-1", "after=", "after=1&after=2"],
      ...["after=9007199254740992", "offset=1", "sort=name", "name=ci", "q=ci", "constructor=1", "=1"],
    ])("400: ?%s is an invalid query", async (query) => {
      const { status, problem } = await admin.request("GET", `/api/keys?${query}`);
      expect([status, problem?.type]).toEqual([400, "/problems/invalid-query"]);
      expect(problem?.errors?.map(({ parameter }) => parameter)).toContain(query.split("=")[0] ?? "");
    });

    test("400: every fault of a query is named at once", async () => {
      const { problem } = await admin.request("GET", "/api/keys?limit=0&after=x&sort=id");
      const parameters = problem?.errors?.map(({ parameter }) => parameter).sort();
      expect(parameters).toEqual(["after", "limit", "sort"]);
    });
  });

  describe("/api/keys/{id}", () => {
    test.each([
      ...["999999", "0", "01", "-1", "1.5", "x", "1e3", "9007199254740992"],
      ...["%31x", "1%00", "null"],
    ])("404: there is no key %s to read or to revoke", async (id) => {
      for (const method of ["GET", "DELETE"]) {
        const { status, problem } = await admin.request(method, `/api/keys/${id}`);
        expect([status, problem?.type]).toEqual([404, "/problems/key-not-found"]);
      }
    });

    test("its calls and the time of the last are known after two seconds at most", async () => {
      const made = await admin.createKey(good);
      const before = Date.now();
      for (let call = 0; call < 5; call++)
        await admin.request("GET", "/api/users", undefined, bearer(made.key));
      // What is refused is no call that was made with the key.
      expect((await admin.request("GET", "/api/keys", undefined, bearer(made.key))).status).toBe(403);
      const called = Date.now();
      let now = await admin.readKey(made);
      while (now.usage.requests < 5 && Date.now() < called + 4000) {
        await Bun.sleep(100);
        now = await admin.readKey(made);
      }
      expect(now.usage).toEqual({ month: new Date().toISOString().slice(0, 7), requests: 5 });
      expect(Date.parse(now.lastUsedAt ?? "")).toBeWithin(before, called + 4000);
      const listed = (await admin.listKeys()).find(({ id }) => id === made.id);
      expect(listed).toEqual(now);
      expect((await admin.readKey(first)).lastUsedAt).toBeNull();
    });
  });

  function refuses(title: string, rows: readonly InvalidKey[]): void {
    describe(title, () => {
      test.each([...rows])("$name is 422 invalid-key", async ({ body, pointers }) => {
        const { status, problem } = await admin.request("POST", "/api/keys", body);
        expect([status, problem?.type]).toEqual([422, "/problems/invalid-key"]);
        expect(problem?.errors?.map(({ pointer }) => pointer).sort()).toEqual([...pointers]);
      });
      test("after all that the first key is as it was", async () => {
        expect(await admin.readKey(first)).toMatchObject({ name: "first", revokedAt: null });
      });
    });
  }

  describe("A key that cannot be made", () => {
    let before: number;
    beforeAll(async () => {
      before = (await admin.listKeys()).length;
    });
    refuses("because it is no object", notObjects);
    refuses("because of its name", invalidNames);
    refuses("because of its scopes", invalidScopes);
    refuses("because of its expiry", invalidExpiries);
    refuses("because of its rate", invalidRateLimits);
    refuses("because of its quota", invalidQuotas);
    refuses("because of what it is to replace", invalidReplacements);
    refuses("because of a field that keys have not", unknownFields);
    refuses("for several reasons", severalErrors);

    test("because it is nested past all reason is 422 invalid-key too", async () => {
      const body = { ...good, quota: JSON.parse(`${"[".repeat(5000)}${"]".repeat(5000)}`) };
      const { status, problem } = await admin.request("POST", "/api/keys", body);
      expect([status, problem?.type]).toEqual([422, "/problems/invalid-key"]);
    });

    test("because it has a thousand fields gets no longer answer than one with a hundred", async () => {
      const body = Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`field${n}`.repeat(5), n]));
      const { status, problem } = await admin.request("POST", "/api/keys", body);
      expect([status, problem?.errors?.length]).toEqual([422, 100]);
    });

    test("leaves nothing behind", async () => {
      expect((await admin.listKeys()).length).toBe(before);
    });
  });
});
