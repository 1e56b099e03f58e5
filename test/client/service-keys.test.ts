import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { ApiError, type Client, type CreatedKey, type Key, type Retry } from "../../src/client/index.ts";
import { startService, type TestService } from "../support/service.ts";
import { failure, failureOf, quietClient } from "./support/servers.ts";

let service: TestService;
/** The first key, with all scopes. */
let first: CreatedKey;
let keys: Client["keys"];

beforeAll(async () => {
  service = await startService();
  // Without keys, every caller on this machine can create one.
  first = await quietClient(service.url).keys.create({
    name: "first",
    scopes: ["users:read", "users:write", "keys:manage"],
  });
  keys = clientOf(first).keys;
});

afterAll(() => service.stop());

function clientOf({ key }: CreatedKey, onRetry: (retry: Retry) => void = () => undefined): Client {
  return quietClient(service.url, { apiKey: key, onRetry });
}

/** The record without its secret. */
function recordOf({ key, ...record }: CreatedKey): Key {
  return record;
}

const typeOf = async (call: Promise<unknown>) => (await failureOf(ApiError, call)).type;

describe("a key", () => {
  test("is created with a secret that no other response contains", async () => {
    const expiresAt = new Date(Date.now() + 86_400_000).toISOString();
    const newKey = await keys.create({
      name: "ci",
      scopes: ["users:read"],
      expiresAt,
      rateLimit: { requests: 10, seconds: 60 },
      quota: 1000,
    });
    expect(newKey).toEqual({
      id: expect.any(Number),
      name: "ci",
      prefix: newKey.key.slice(0, 12),
      scopes: ["users:read"],
      createdAt: expect.any(String),
      expiresAt,
      revokedAt: null,
      lastUsedAt: null,
      rateLimit: { requests: 10, seconds: 60 },
      quota: 1000,
      usage: { month: newKey.createdAt.slice(0, 7), requests: 0 },
      key: expect.stringMatching(/^roster_\w{36}$/),
    });
    expect(await keys.get(newKey.id)).toEqual(recordOf(newKey));
    expect(await keys.get(String(newKey.id))).toEqual(recordOf(newKey));
    expect((await keys.list().all()).find(({ id }) => id === newKey.id)).toEqual(recordOf(newKey));
  });

  test("allows exactly its scopes", async () => {
    const newKey = await keys.create({ name: "reader", scopes: ["users:read"] });
    const reader = clientOf(newKey);
    expect(await reader.users.list().all()).toEqual([]);
    const error = await failureOf(ApiError, reader.users.create({ name: "Ada" }));
    expect(error).toMatchObject({ status: 403, type: "insufficient-scope", tries: 1 });
    const calls = [
      reader.keys.get(newKey.id),
      reader.keys.list().page(),
      reader.keys.create({ name: "mine", scopes: ["users:read"] }),
      reader.keys.revoke(newKey.id),
    ];
    expect(await Promise.all(calls.map(typeOf))).toEqual(Array(4).fill("insufficient-scope"));
  });

  test("is rejected after it is revoked, and can be revoked again", async () => {
    const newKey = await keys.create({ name: "short", scopes: ["users:read"] });
    const { users } = clientOf(newKey);
    await users.list().page();
    expect(await keys.revoke(newKey.id)).toBeUndefined();
    const error = await failureOf(ApiError, users.list().page());
    expect(error).toMatchObject({ status: 401, type: "key-revoked", tries: 1 });
    expect(await keys.revoke(newKey.id)).toBeUndefined();
    expect(await keys.get(newKey.id)).toMatchObject({ name: "short", revokedAt: expect.any(String) });
  });

  test("is required, and a wrong key is rejected without being quoted", async () => {
    expect(await typeOf(quietClient(service.url).users.get(1))).toBe("unauthenticated");
    const apiKey = `roster_${"0".repeat(36)}`;
    const error = await failureOf(ApiError, quietClient(service.url, { apiKey }).users.get(1));
    expect(error).toMatchObject({ status: 401, type: "unauthenticated" });
    expect(Bun.inspect(error)).not.toContain(apiKey);
  });
});

describe("a replaced key", () => {
  test("passes on its fields, and stays active for the grace period", async () => {
    const old = await keys.create({ name: "rotated", scopes: ["users:read"], quota: 500 });
    const before = Date.now();
    const newKey = await keys.replace(old.id, { graceSeconds: 3600, quota: 1000 });
    const after = Date.now();
    expect(newKey).toMatchObject({ name: "rotated", scopes: ["users:read"], quota: 1000, expiresAt: null });
    expect(newKey.id).not.toBe(old.id);
    expect(newKey.key).not.toBe(old.key);
    const { expiresAt } = await keys.get(old.id);
    expect(Date.parse(expiresAt ?? "") - 3_600_000).toBeWithin(before, after + 1);
    for (const key of [old, newKey]) expect(await clientOf(key).users.list().all()).toEqual([]);
  });

  test("ends immediately without a grace period", async () => {
    const old = await keys.create({ name: "leaked", scopes: ["users:read"] });
    const newKey = await keys.replace(old.id, { graceSeconds: 0 });
    expect(await typeOf(clientOf(old).users.list().page())).toBe("key-expired");
    expect(await clientOf(newKey).users.list().all()).toEqual([]);
  });
});

describe("invalid calls about keys", () => {
  test("throw the problem with all errors", async () => {
    expect(await typeOf(keys.get(999_999))).toBe("key-not-found");
    expect(await typeOf(keys.revoke(999_999))).toBe("key-not-found");
    expect(await typeOf(keys.replace(999_999, { graceSeconds: 0 }))).toBe("invalid-key");
    expect(await typeOf(keys.list({ limit: 9999 }).page())).toBe("invalid-query");
    const error = await failureOf(ApiError, keys.create({ name: " ", scopes: [], quota: 0 }));
    expect(error).toMatchObject({ status: 422, type: "invalid-key" });
    expect(error.problem?.errors?.map(({ pointer }) => pointer).sort()).toEqual([
      "/name",
      "/quota",
      "/scopes",
    ]);
  });

  test("such as granting a scope that the caller lacks create no key", async () => {
    const manager = clientOf(await keys.create({ name: "manager", scopes: ["keys:manage"] }));
    const before = (await keys.list().all()).length;
    const call = manager.keys.create({ name: "more", scopes: ["users:write"] });
    expect(await typeOf(call)).toBe("insufficient-scope");
    expect(await keys.list().all()).toHaveLength(before);
  });
});

describe("the list of keys", () => {
  test("has every key once in order of id, with any page size", async () => {
    for (let n = 0; n < 3; n++) await keys.create({ name: `listed ${n}`, scopes: ["users:read"] });
    const ids = (list: readonly Key[]) => list.map(({ id }) => id);
    const all = ids(await keys.list().all());
    expect(all[0]).toBe(first.id);
    expect(all).toEqual([...new Set(all)].sort((a, b) => a - b));
    const iterated: number[] = [];
    for await (const { id } of keys.list({ limit: 2 })) iterated.push(id);
    expect(iterated).toEqual(all);
    const page = await keys.list({ limit: 2 }).page();
    expect(ids(page.keys)).toEqual(all.slice(0, 2));
    expect(ids((await keys.list({ limit: 2, after: page.next }).page()).keys)).toEqual(all.slice(2, 4));
  });
});

describe("the limits of a key", () => {
  test("delay calls beyond the rate limit", async () => {
    const rateLimit = { requests: 1, seconds: 20 };
    const newKey = await keys.create({ name: "slow", scopes: ["users:read"], rateLimit });
    const controller = new AbortController();
    const retries: Retry[] = [];
    const { users } = clientOf(newKey, (retry) => {
      retries.push(retry);
      controller.abort("enough");
    });
    expect(await users.list().all()).toEqual([]);
    expect(await failure(users.list(controller).page())).toBe("enough");
    expect(retries).toMatchObject([{ tries: 1, error: { status: 429, type: "rate-limited" } }]);
    const [{ error, delay } = {}] = retries;
    const seconds = error instanceof ApiError ? Number(error.headers.get("retry-after")) : 0;
    expect(seconds).toBeWithin(1, 21);
    expect(delay).toBe(seconds * 1000);
  });

  test("reject calls beyond the quota at once", async () => {
    const newKey = await keys.create({ name: "few", scopes: ["users:read"], quota: 1 });
    const { users } = clientOf(newKey);
    await users.list().page();
    const error = await failureOf(ApiError, users.list().page());
    expect(error).toMatchObject({ status: 429, type: "quota-exceeded", tries: 1 });
    expect(Number(error.headers.get("retry-after"))).toBeGreaterThan(0);
  });
});
