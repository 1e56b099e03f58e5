import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { BulkChange } from "../../src/client/index.ts";
import type { Scope } from "../../src/contract/keys/key.ts";
import { bearer } from "../support/credentials.ts";
import { onEachEngine } from "../support/engines.ts";
import { outcome, startService, type TestService } from "../support/service.ts";

setDefaultTimeout(60_000);

onEachEngine((engine) => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService({}, engine);
  }, 120_000);
  afterAll(() => service.stop());

  const create = (name: string, email?: string) =>
    service.roster.users.create({ name, level: name.length, ...(email && { email }) });
  const createDeleted = async (name: string, email?: string) => {
    const user = await create(name, email);
    await service.roster.users.delete(user.id);
    return user;
  };
  const restore = (id: number, body?: unknown, headers: Record<string, string> = {}) =>
    body === undefined
      ? service.call(`/api/deleted-users/${id}/restore`, { method: "POST", headers })
      : service.call(`/api/deleted-users/${id}/restore`, { method: "POST", json: body, headers });
  const problemOf = async (response: Promise<Response>) => {
    const { type } = await (await response).json();
    return type;
  };

  describe("a deleted user", () => {
    test("is gone for callers of users, and can be read with deletedAt", async () => {
      const user = await createDeleted("Ada", "ada@deleted.org");
      expect(await outcome(service.roster.users.get(user.id))).toBe("404 user-not-found");
      const response = await service.call(`/api/deleted-users/${user.id}`);
      expect([response.status, response.headers.get("etag")]).toEqual([200, '"1"']);
      const { deletedAt, ...record } = await response.json();
      expect(record).toEqual(user);
      expect(new Date(deletedAt).toISOString()).toBe(deletedAt);
      expect(await create("Other", "ada@deleted.org")).toMatchObject({ version: 1 });
      expect(await problemOf(service.call("/api/deleted-users/999999"))).toBe("/problems/user-not-found");
      expect(await problemOf(service.call("/api/deleted-users/x"))).toBe("/problems/user-not-found");
    });

    test("is listed, the last deletion first, in pages, with a search and a filter", async () => {
      const users = [];
      for (const name of ["Ángel Peña", "Bo", "Cléo"]) users.push(await createDeleted(`${name} Listed`));
      const ids = users.map(({ id }) => id).reverse();
      const listed = service.roster.deletedUsers.list({ q: "listed", limit: 2 });
      expect((await listed.all()).map(({ id }) => id)).toEqual(ids);
      const first = await service.call("/api/deleted-users?q=listed&limit=2");
      expect(first.headers.get("roster-event")).toMatch(/^[0-9a-z]{11}$/);
      const [, next = ""] = /<([^>]+)>; rel="next"/.exec(first.headers.get("link") ?? "") ?? [];
      const second = await service.call(next);
      expect((await second.json()).map(({ id }: { id: number }) => id)).toEqual(ids.slice(2));
      expect(second.headers.get("link")).toBe(
        `<${service.url}/api/deleted-users?q=listed&limit=2>; rel="first"`,
      );
      const filter = 'level gt 10 and name ew "listed" and deletedAt gt "2020-01-01"';
      const found = await service.roster.deletedUsers.list({ q: "pena angel", filter }).all();
      expect(found.map(({ id }) => id)).toEqual(ids.slice(-1));
    });

    test.each([
      ["limit=0", "limit"],
      ["limit=1&limit=2", "limit"],
      ["after=5", "after"],
      ["after=1.2.3", "after"],
      ["q=", "q"],
      ["filter=level", "filter"],
      ["sort=name", "sort"],
      ["department=x", "department"],
    ])("is not listed with an invalid query: %s", async (query, parameter) => {
      const response = await service.call(`/api/deleted-users?${query}`);
      expect(response.status).toBe(400);
      expect((await response.json()).errors[0].parameter).toBe(parameter);
    });

    test("is restored with the same id, the next version and its ETag", async () => {
      const user = await createDeleted("Restored", "restored@deleted.org");
      const response = await restore(user.id);
      expect([response.status, response.headers.get("etag")]).toEqual([200, '"2"']);
      const restored = await response.json();
      expect(restored).toEqual({ ...user, version: 2, updatedAt: restored.updatedAt });
      expect(await service.roster.users.get(user.id)).toEqual(restored);
      expect(await problemOf(restore(user.id))).toBe("/problems/user-not-found");
    });

    test("keeps its email for a restore, unless another user has it now", async () => {
      const { id } = await createDeleted("Taken", "taken@deleted.org");
      await create("New", "Taken@deleted.org");
      expect(await problemOf(restore(id))).toBe("/problems/email-taken");
      expect(await problemOf(restore(id, { email: "TAKEN@deleted.org" }))).toBe("/problems/email-taken");
      expect(await service.roster.deletedUsers.restore(id, { email: "free@deleted.org" })).toMatchObject({
        email: "free@deleted.org",
        version: 2,
      });
      await service.roster.users.delete(id);
      expect(await service.roster.deletedUsers.restore(id, { email: null })).not.toHaveProperty("email");
    });

    test("is not restored with an invalid body or for another version", async () => {
      const { id } = await createDeleted("Invalid");
      expect(await problemOf(restore(id, { email: "none" }))).toBe("/problems/invalid-user");
      expect(await problemOf(restore(id, { name: "X" }))).toBe("/problems/invalid-user");
      expect(await problemOf(restore(id, []))).toBe("/problems/invalid-user");
      const path = `/api/deleted-users/${id}/restore`;
      expect(await problemOf(service.call(path, { method: "POST", body: "{" }))).toBe(
        "/problems/unsupported-media-type",
      );
      expect(await problemOf(restore(id, undefined, { "if-match": '"7"' }))).toBe(
        "/problems/version-mismatch",
      );
      expect((await restore(id, {}, { "if-match": '"1"' })).status).toBe(200);
    });

    test("is restored by bulk changes, by ids and by a filter", async () => {
      const users = [];
      for (let n = 0; n < 5; n++) users.push(await createDeleted(`Bulk ${n}`, `bulk${n}@deleted.org`));
      await create("Owner", "bulk0@deleted.org");
      const ids = users.map(({ id }) => id);
      const call = (change: BulkChange) => service.roster.users.bulk(change);
      expect(await call({ ids: [...ids, 999_999], restore: true }).count()).toBe(5);
      const results = [];
      for await (const { id, status } of call({ ids: [...ids.slice(0, 2), 999_999], restore: true })) {
        results.push([id, status]);
      }
      expect(results).toEqual([
        [ids[0] ?? 0, 409],
        [ids[1] ?? 0, 200],
        [999_999, 404],
      ]);
      const filter = 'name sw "bulk"';
      expect(await call({ filter, restore: true }).count()).toBe(4);
      expect(await call({ filter, restore: true }).summary()).toMatchObject({ changed: 3, failed: 1 });
      expect((await service.roster.users.list({ q: "bulk" }).all()).map(({ id }) => id)).toEqual(
        expect.arrayContaining(ids.slice(1)),
      );
      expect(
        await problemOf(service.call("/api/users/bulk", { method: "POST", json: { ids, restore: false } })),
      ).toBe("/problems/invalid-bulk");
      expect(
        await problemOf(
          service.call("/api/users/bulk", { method: "POST", json: { ids, restore: true, delete: true } }),
        ),
      ).toBe("/problems/invalid-bulk");
    });

    test("is purged, also with a delete in one request", async () => {
      const { id } = await createDeleted("Purged");
      await service.roster.deletedUsers.purge(id);
      expect(await outcome(service.roster.deletedUsers.read(id))).toBe("404 user-not-found");
      expect(await outcome(service.roster.deletedUsers.purge(id))).toBe("404 user-not-found");
      const user = await create("Both");
      expect(await problemOf(service.call(`/api/users/${user.id}?purge=yes`, { method: "DELETE" }))).toBe(
        "/problems/invalid-query",
      );
      await service.roster.users.delete(user.id, { purge: true });
      expect(await outcome(service.roster.deletedUsers.read(user.id))).toBe("404 user-not-found");
      const events = await (await service.call(`/api/users/${user.id}/events`)).json();
      expect(events).toMatchObject([
        { type: "user.created", record: null },
        { type: "user.deleted", record: null },
        { type: "user.purged", record: null, changes: {} },
      ]);
    });

    test("is not created again by a repeated create after its purge", async () => {
      const post = () =>
        service.call("/api/users", {
          method: "POST",
          json: { name: "Once" },
          headers: { "idempotency-key": `once ${engine}` },
        });
      const { id } = await (await post()).json();
      await service.roster.users.delete(id, { purge: true });
      const repeated = await post();
      expect([repeated.status, repeated.headers.get("idempotency-replayed")]).toEqual([404, "true"]);
    });
  });

  test("active is true, false or absent", async () => {
    const user = await service.roster.users.create({ name: "Active", active: false });
    expect(user.active).toBe(false);
    expect(await service.roster.users.list({ filter: "active eq false" }).all()).toEqual([user]);
    const invalid = await service.call(`/api/users/${user.id}`, { method: "PATCH", json: { active: "no" } });
    expect((await invalid.json()).errors).toMatchObject([{ pointer: "/active" }]);
    expect(
      (await service.call("/api/users", { method: "POST", json: { name: "A", active: 1 } })).status,
    ).toBe(422);
    expect(await service.roster.users.update(user.id, { active: null })).not.toHaveProperty("active");
    expect(await service.roster.users.create({ name: "Null", active: null })).not.toHaveProperty("active");
  });

  test("a key needs users:read to read, users:write to restore, and users:purge to purge", async () => {
    const [one, two] = [await createDeleted("One"), await createDeleted("Two")];
    const live = await create("Live");
    const createKey = async (headers: Record<string, string>, ...scopes: Scope[]) => {
      const response = await service.call("/api/keys", {
        method: "POST",
        json: { name: "k", scopes },
        headers,
      });
      return bearer((await response.json()).key);
    };
    const admin = await createKey({}, "users:read", "users:write", "users:purge", "keys:manage");
    const reader = await createKey(admin, "users:read");
    const writer = await createKey(admin, "users:write");
    const purger = await createKey(admin, "users:purge");
    const status = async (headers: Record<string, string>, method: string, path: string) =>
      (await service.call(path, { method, headers })).status;
    const path = `/api/deleted-users/${one.id}`;
    expect(await status(reader, "GET", "/api/deleted-users")).toBe(200);
    expect(await status(writer, "GET", path)).toBe(403);
    expect(await status(reader, "POST", `${path}/restore`)).toBe(403);
    expect(await status(purger, "POST", `${path}/restore`)).toBe(403);
    expect(await status(writer, "DELETE", path)).toBe(403);
    expect(await status(writer, "DELETE", `/api/users/${live.id}?purge=true`)).toBe(403);
    expect(await status(purger, "DELETE", `/api/users/${live.id}?purge=true`)).toBe(403);
    expect(await status(reader, "GET", `/api/users/${live.id}`)).toBe(200);
    expect(await status(writer, "POST", `${path}/restore`)).toBe(204);
    expect(await status(purger, "DELETE", `/api/deleted-users/${two.id}`)).toBe(204);
    expect(await status(admin, "DELETE", `/api/users/${live.id}?purge=true`)).toBe(204);
  });
});

test("ROSTER_DELETED_DAYS=0 purges users when they are deleted", async () => {
  const service = await startService({ deletedDays: 0 });
  const { users, deletedUsers } = service.roster;
  const [one, two] = [await users.create({ name: "One" }), await users.create({ name: "Two" })];
  await users.delete(one.id);
  expect(await users.bulk({ filter: 'name eq "two"', delete: true }).summary()).toMatchObject({ changed: 1 });
  expect(await deletedUsers.list().all()).toEqual([]);
  for (const { id } of [one, two]) {
    const events = await (await service.call(`/api/users/${id}/events`)).json();
    expect(events.at(-1)).toMatchObject({ type: "user.purged", record: null });
  }
  await service.stop();
});
