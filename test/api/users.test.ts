import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { UserPatch, Users } from "../../src/client/index.ts";
import { onEachEngine } from "../support/engines.ts";
import { outcome, startService, type TestService } from "../support/service.ts";
import { until } from "../support/until.ts";

onEachEngine((engine) => {
  let service: TestService;
  let users: Users;
  beforeAll(async () => {
    service = await startService({}, engine);
    users = service.roster.users;
  });
  afterAll(() => service.stop());

  const problemOf = async (response: Response) => {
    const { type, detail, errors } = await response.json();
    return { status: response.status, type, detail, errors };
  };

  describe("POST /api/users", () => {
    test("201: returns the user with id, version and times, in the documented order", async () => {
      const response = await service.call("/api/users", {
        method: "POST",
        json: {
          zeta: 1,
          email: "Ada@Example.com",
          name: "  Ada Lovelace ",
          alpha: { deep: [null, true] },
          id: 99,
          version: 7,
          createdAt: "1999-01-01T00:00:00.000Z",
        },
      });
      expect(response.status).toBe(201);
      const user = await response.json();
      expect(Object.keys(user)).toEqual([
        "id",
        "name",
        "email",
        "zeta",
        "alpha",
        "version",
        "createdAt",
        "updatedAt",
      ]);
      expect(user).toMatchObject({
        name: "Ada Lovelace",
        email: "Ada@Example.com",
        zeta: 1,
        alpha: { deep: [null, true] },
      });
      expect(user.version).toBe(1);
      expect(user.createdAt).toBe(user.updatedAt);
      expect(Math.abs(Date.parse(user.createdAt) - Date.now())).toBeLessThan(60_000);
      expect(response.headers.get("location")).toBe(`${service.url}/api/users/${user.id}`);
      expect(response.headers.get("etag")).toBe('"1"');
    });

    test("201: omits an email of null, and stores null in custom fields", async () => {
      const user = await users.create({ name: "Null", email: null, custom: null });
      expect(user).not.toHaveProperty("email");
      expect(user.custom).toBeNull();
    });

    test("201: ids increase by one and are not reused after a delete", async () => {
      const first = await users.create({ name: "First" });
      await users.delete(first.id);
      const second = await users.create({ name: "Second" });
      expect(second.id).toBe(first.id + 1);
    });

    test("409 email-taken: emails are unique regardless of case, also beyond ASCII", async () => {
      await users.create({ name: "A", email: "straße@example.com" });
      for (const email of ["STRAẞE@EXAMPLE.COM", "Straße@example.com"]) {
        expect(await outcome(users.create({ name: "B", email }))).toBe("409 email-taken");
      }
      await users.create({ name: "C", email: "strasse@example.com" });
    });

    test("a filter by email finds no address with other letters", async () => {
      const { id } = await users.create({ name: "Ida", email: "ıda@x.org" });
      const ids = async (email: string) =>
        (await users.list({ where: { email } }).all()).map((user) => user.id);
      expect(await ids("ida@x.org")).toEqual([]);
      expect(await ids("ıDA@X.ORG")).toEqual([id]);
      const other = await users.create({ name: "Ida", email: "IDA@x.org" });
      expect(await ids("ida@x.org")).toEqual([other.id]);
      const changed = users.update(id, { email: "ida@X.org" });
      expect(await outcome(changed)).toBe("409 email-taken");
    });

    test("409 email-taken: of many concurrent creates with one email, exactly one is 201", async () => {
      const race = Array.from({ length: 50 }, (_, i) =>
        outcome(users.create({ name: `R${i}`, email: "race@example.com" })),
      );
      const outcomes = (await Promise.all(race)).sort();
      expect(outcomes).toEqual([...Array<string>(49).fill("409 email-taken"), "done"]);
    });

    test("422 invalid-user: lists every error, and says the first three in its detail", async () => {
      const response = await service.call("/api/users", {
        method: "POST",
        json: {
          email: "nope",
          password: "x",
          "bad name": 1,
          big: 1e300,
        },
      });
      const { status, type, detail, errors } = await problemOf(response);
      expect({ status, type }).toEqual({ status: 422, type: "/problems/invalid-user" });
      expect(detail).toBe(
        "password: Roster stores no credentials. Remove this field. bad name: A field name is a letter, then up to 63 letters, digits or underscores. big: This number is too large to store exactly. Send it as a string. 2 more in `errors`.",
      );
      expect(errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual([
        "/password",
        "/bad name",
        "/big",
        "/name",
        "/email",
      ]);
    });

    test("201 for a record of 16 KiB, 422 for one byte more", async () => {
      const filler = (bytes: number) =>
        "x".repeat(bytes - JSON.stringify({ name: "Big", filler: "" }).length);
      await users.create({ name: "Big", filler: filler(16_384) });
      expect(await outcome(users.create({ name: "Big", filler: filler(16_385) }))).toBe("422 invalid-user");
    });

    test("413 too-large: for a body of more than 64 KiB", async () => {
      const body = (bytes: number) => {
        const start = '{"name":"x","pad":"';
        return `${start}${"p".repeat(bytes - start.length - 2)}"}`;
      };
      const post = (text: string) =>
        service.call("/api/users", {
          method: "POST",
          body: text,
          headers: { "content-type": "application/json" },
        });
      expect((await post(body(65_536))).status).toBe(422);
      expect((await post(body(65_537))).status).toBe(413);
    });
  });

  describe("GET /api/users/{id}", () => {
    test("304 if If-None-Match has this version, otherwise 200", async () => {
      const { id } = await users.create({ name: "Seen" });
      const get = (tag: string) => service.call(`/api/users/${id}`, { headers: { "if-none-match": tag } });
      expect((await get('"1"')).status).toBe(304);
      expect((await get('W/"1"')).status).toBe(304);
      expect((await get('"5", "1"')).status).toBe(304);
      expect((await get("*")).status).toBe(304);
      expect((await get('"2"')).status).toBe(200);
    });

    test("HEAD responds like GET, with Content-Length, without the body", async () => {
      const { id } = await users.create({ name: "Head" });
      const [head, get] = [
        await service.call(`/api/users/${id}`, { method: "HEAD" }),
        await service.call(`/api/users/${id}`),
      ];
      expect(head.status).toBe(200);
      expect(await head.text()).toBe("");
      for (const name of ["etag", "content-type", "content-length", "cache-control"]) {
        expect(head.headers.get(name)).toBe(get.headers.get(name));
      }
      expect((await service.call("/api/users/999999", { method: "HEAD" })).status).toBe(404);
    });

    test("a trailing slash is ignored", async () => {
      const { id } = await users.create({ name: "Slash" });
      expect((await service.call(`/api/users/${id}/`)).status).toBe(200);
      expect((await service.call("/api/users/")).status).toBe(200);
    });

    test("uses the caller's X-Request-Id if it is valid", async () => {
      const get = (id: string) => service.call("/api/users/1", { headers: { "x-request-id": id } });
      expect((await get("trace-7:a/b")).headers.get("x-request-id")).toBe("trace-7:a/b");
      expect((await get("a b")).headers.get("x-request-id")).not.toBe("a b");
      expect((await get("x".repeat(129))).headers.get("x-request-id")?.length).toBeLessThan(129);
    });
  });

  describe("PUT /api/users/{id}", () => {
    test("200: removes omitted fields, and keeps the order of existing fields", async () => {
      const { id } = await users.create({ name: "Old", email: "put@example.com", b: 1, a: 2 });
      const response = await service.call(`/api/users/${id}`, {
        method: "PUT",
        json: { c: 3, a: 4, name: "New", b: 1 },
      });
      expect(response.status).toBe(200);
      expect(response.headers.get("etag")).toBe('"2"');
      const user = await response.json();
      expect(Object.keys(user)).toEqual(["id", "name", "b", "a", "c", "version", "createdAt", "updatedAt"]);
      expect(user).toMatchObject({ id, name: "New", b: 1, a: 4, c: 3, version: 2 });
    });

    test("200: sending a user back unchanged changes nothing", async () => {
      const user = await users.create({
        name: "Round",
        email: "round@example.com",
        nested: { x: 1, y: [2] },
      });
      expect(await users.replace(user.id, user)).toEqual(user);
    });

    test("200: another order of fields changes nothing", async () => {
      const user = await users.create({ name: "Order", a: { x: 1, y: 2 }, b: 2 });
      expect(await users.replace(user.id, { b: 2, a: { y: 2, x: 1 }, name: "Order" })).toEqual(user);
    });

    test("404 user-not-found: PUT does not create, with or without If-Match", async () => {
      for (const options of [{}, { ifMatch: "*" }, { ifMatch: 1 }] as const) {
        expect(await outcome(users.replace(424_242, { name: "x" }, options))).toBe("404 user-not-found");
      }
    });

    test("409 email-taken: does not change the user", async () => {
      await users.create({ name: "Holder", email: "held@example.com" });
      const user = await users.create({ name: "Wants", email: "wants@example.com", tag: "kept" });
      const taking = users.replace(user.id, { name: "Wants", email: "HELD@example.com" });
      expect(await outcome(taking)).toBe("409 email-taken");
      expect(await users.get(user.id)).toEqual(user);
      expect(await users.list({ where: { tag: "kept" } }).all()).toEqual([user]);
    });

    test("412 version-mismatch: If-Match names another version or none, and the user does not change", async () => {
      const user = await users.create({ name: "Guarded" });
      const put = (tag: string) =>
        service.call(`/api/users/${user.id}`, {
          method: "PUT",
          json: { name: "Changed" },
          headers: { "if-match": tag },
        });
      for (const tag of ['"2"', 'W/"2"', 'w/"1"', "1", '"01"', "nonsense", ""]) {
        expect(await problemOf(await put(tag))).toMatchObject({
          status: 412,
          type: "/problems/version-mismatch",
        });
      }
      expect(await users.get(user.id)).toEqual(user);
      expect((await put('"9", "1"')).status).toBe(200);
      expect((await put("*")).status).toBe(200);
    });

    test("412 version-mismatch: of many concurrent PUTs with one If-Match, exactly one is 200", async () => {
      const { id } = await users.create({ name: "Contended" });
      const race = Array.from({ length: 40 }, (_, i) =>
        outcome(users.replace(id, { name: `W${i}` }, { ifMatch: 1 })),
      );
      const outcomes = (await Promise.all(race)).sort();
      expect(outcomes).toEqual([...Array<string>(39).fill("412 version-mismatch"), "done"]);
    });

    test("422 invalid-user: the id in the body differs from the path", async () => {
      const { id } = await users.create({ name: "Path" });
      for (const other of [id + 1, String(id)]) {
        const replacing = users.replace(id, { id: other, name: "x" });
        const problem = { type: "/problems/invalid-user", errors: [{ pointer: "/id" }] };
        await expect(replacing).rejects.toMatchObject({ status: 422, problem });
      }
    });

    test("each change sets updatedAt and keeps createdAt", async () => {
      const user = await users.create({ name: "Clock" });
      // Both changes may come in the same millisecond.
      const changed = await until(async () => {
        const replaced = await users.replace(user.id, { name: "Clock 2" });
        return replaced && replaced.updatedAt > user.updatedAt ? replaced : undefined;
      });
      expect(changed.createdAt).toBe(user.createdAt);
    });
  });

  describe("PATCH /api/users/{id}", () => {
    test("200: keeps omitted fields, removes null fields, merges objects", async () => {
      const { id } = await users.create({
        name: "Patch",
        email: "p@example.com",
        keep: 1,
        drop: 2,
        deep: { a: 1, b: 2 },
      });
      const user = await users.update(id, { email: null, drop: null, deep: { b: null, c: 3 } });
      expect(user).toMatchObject({ name: "Patch", keep: 1, deep: { a: 1, c: 3 }, version: 2 });
      expect(user).not.toHaveProperty("email");
      expect(user).not.toHaveProperty("drop");
      expect(user?.deep).not.toHaveProperty("b");
    });

    test("200: accepts both media types", async () => {
      const { id } = await users.create({ name: "Types" });
      for (const type of ["application/merge-patch+json", "application/json"]) {
        const response = await service.call(`/api/users/${id}`, {
          method: "PATCH",
          json: { type },
          headers: { "content-type": type },
        });
        expect(response.status).toBe(200);
        expect(await response.json()).toMatchObject({ name: "Types", type });
      }
    });

    test("200: a patch that changes nothing keeps version and updatedAt", async () => {
      const user = await users.create({ name: "Same", a: 1 });
      const { id } = user;
      const patches: UserPatch[] = [{}, { a: 1 }, { name: " Same " }, { gone: null }, { version: 9, id }];
      for (const patch of patches) expect(await users.update(id, patch)).toEqual(user);
    });

    test("200: all concurrent patches of a user take effect", async () => {
      const { id } = await users.create({ name: "Busy" });
      await Promise.all(Array.from({ length: 30 }, (_, i) => users.update(id, { [`f${i}`]: i })));
      const user = await users.get(id);
      expect(user.version).toBe(31);
      for (let i = 0; i < 30; i++) expect(user[`f${i}`]).toBe(i);
    });

    test("422 invalid-user: checks the patched record, and does not change the user", async () => {
      const user = await users.create({ name: "Whole", filler: "x".repeat(16_000) });
      for (const patch of [{ name: null }, { email: "nope" }, { more: "x".repeat(1000) }]) {
        expect((await service.call(`/api/users/${user.id}`, { method: "PATCH", json: patch })).status).toBe(
          422,
        );
      }
      expect(await users.get(user.id)).toEqual(user);
    });
  });

  describe("DELETE /api/users/{id}", () => {
    test("204, then 404, and the email can be used again", async () => {
      const { id } = await users.create({ name: "Gone", email: "gone@example.com", own: "gone" });
      await users.delete(id);
      expect(await outcome(users.delete(id))).toBe("404 user-not-found");
      expect(await outcome(users.get(id))).toBe("404 user-not-found");
      expect(await users.list({ where: { own: "gone" } }).all()).toEqual([]);
      expect(await users.list({ q: "gone" }).all()).toEqual([]);
      expect(await users.find({ email: "gone@example.com" })).toBeUndefined();
      await users.create({ name: "Again", email: "gone@example.com" });
    });

    test("412 version-mismatch: deletes only the version in If-Match", async () => {
      const { id } = await users.create({ name: "Kept" });
      expect(await outcome(users.delete(id, { ifMatch: 2 }))).toBe("412 version-mismatch");
      await users.delete(id, { ifMatch: 1 });
    });
  });

  describe("any path", () => {
    test("OPTIONS is 204 with Allow and the accepted content types", async () => {
      const collection = await service.call("/api/users", { method: "OPTIONS" });
      expect(collection.headers.get("allow")).toBe("GET, POST, HEAD, OPTIONS");
      expect(collection.headers.get("accept-post")).toBe("application/json");
      const user = await service.call("/api/users/1", { method: "OPTIONS" });
      expect(user.headers.get("allow")).toBe("GET, PUT, PATCH, DELETE, HEAD, OPTIONS");
      expect(user.headers.get("accept-patch")).toBe("application/merge-patch+json, application/json");
    });

    test("405 method-not-allowed has Allow", async () => {
      const response = await service.call("/api/users", { method: "DELETE" });
      expect(response.headers.get("allow")).toBe("GET, POST, HEAD, OPTIONS");
      expect(await problemOf(response)).toMatchObject({ status: 405, type: "/problems/method-not-allowed" });
    });

    test("responses have no CORS headers", async () => {
      const response = await service.call("/api/users", { headers: { origin: "https://elsewhere.example" } });
      expect([...response.headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
    });
  });
});
