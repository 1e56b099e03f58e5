import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { onEachEngine } from "../support/engines.ts";
import { describeResponse } from "../support/responses.ts";
import { startService, type TestService } from "../support/service.ts";

const unique = { type: "string", "x-unique": true };

onEachEngine((engine) => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService({}, engine);
  });
  afterAll(() => service.stop());

  const put = (schema: unknown, headers = {}) =>
    service.call("/api/schema", { method: "PUT", json: schema, headers });
  const setSchema = async (schema: object) => expect((await put(schema)).status).toBe(200);
  const create = (body: object, headers = {}) =>
    service.call("/api/users", { method: "POST", json: body, headers });
  const createdId = async (body: object): Promise<number> => (await (await create(body)).json()).id;
  const pointersOf = async (response: Response): Promise<string[]> => {
    const { status, errors = [] }: { status: number; errors?: { pointer: string }[] } = await response.json();
    return [String(status), ...errors.map(({ pointer }) => pointer)];
  };
  const removeUsers = async () => {
    for await (const { id } of service.roster.users.list()) await service.roster.users.delete(id);
  };

  afterEach(async () => {
    await service.call("/api/schema", { method: "DELETE" });
    await removeUsers();
  });

  describe("the schema", () => {
    test("is {} until one is set, comes back as sent, and is {} again after DELETE", async () => {
      const none = await service.call("/api/schema");
      expect([none.status, await none.text()]).toEqual([200, "{}"]);
      const schema = { title: "People", properties: { level: { type: "integer" } } };
      const stored = await put(schema, { "if-match": none.headers.get("etag") ?? "" });
      expect([stored.status, await stored.json()]).toEqual([200, schema]);
      const read = await service.call("/api/schema");
      expect([read.headers.get("etag"), await read.json()]).toEqual([stored.headers.get("etag"), schema]);
      const etag = read.headers.get("etag") ?? "";
      expect((await service.call("/api/schema", { headers: { "if-none-match": etag } })).status).toBe(304);
      // The same schema is no new version.
      expect((await put(schema)).headers.get("etag")).toBe(etag);
      expect((await service.call("/api/schema", { method: "DELETE" })).status).toBe(204);
      expect(await (await service.call("/api/schema")).text()).toBe("{}");
    });

    test("changes only if If-Match has its version", async () => {
      const first = await put({ properties: { a: {} } });
      const etag = first.headers.get("etag") ?? "";
      await setSchema({ properties: { b: {} } });
      expect(await describeResponse(await put({}, { "if-match": etag }))).toBe("412 version-mismatch");
      const request = { method: "DELETE", headers: { "if-match": etag } };
      expect(await describeResponse(await service.call("/api/schema", request))).toBe("412 version-mismatch");
      expect(await (await service.call("/api/schema")).json()).toEqual({ properties: { b: {} } });
    });

    test("keeps every version, newest first", async () => {
      await setSchema({ title: "one" });
      await setSchema({ title: "two" });
      const page = await service.call("/api/schema/versions?limit=1");
      const [newest] = await page.json();
      expect(newest.schema).toEqual({ title: "two" });
      const next = /<([^>]+)>/.exec(page.headers.get("link") ?? "")?.[1] ?? "";
      expect((await (await service.call(next)).json())[0]).toMatchObject({
        version: newest.version - 1,
        schema: { title: "one" },
      });
      expect(await describeResponse(await service.call("/api/schema/versions?limit=0"))).toBe(
        "400 invalid-query",
      );
    });

    test("has short pages of large versions", async () => {
      const description = "x".repeat(60_000);
      for (let index = 0; index < 20; index++) await setSchema({ title: String(index), description });
      const page = await service.call("/api/schema/versions?limit=1000");
      expect((await page.json()).length).toBeLessThan(20);
      expect(page.headers.get("link")).toContain('rel="next"');
      const versions = await Array.fromAsync(service.roster.schema.versions());
      expect(versions.map(({ version }) => version)).toEqual(
        versions.map((_, index) => versions.length - index),
      );
      expect(versions[19]?.schema).toEqual({ title: "0", description });
    });

    test("appends an event for each change", async () => {
      await setSchema({ title: "one", required: ["a"] });
      const [event] = await (await service.call("/api/events?sort=-id&limit=1&type=schema.updated")).json();
      expect(event).toMatchObject({
        type: "schema.updated",
        subject: { type: "schema", id: 1 },
        changes: { title: { to: "one" }, required: { to: ["a"] } },
        record: { title: "one", required: ["a"] },
      });
    });

    test("is rejected with pointers if it is not valid", async () => {
      const response = await put({ properties: { a: { oneOf: [] }, b: { $ref: "https://example.com" } } });
      expect(await pointersOf(response)).toEqual(["422", "/properties/a/oneOf", "/properties/b/$ref"]);
      expect(await describeResponse(await put([]))).toBe("422 invalid-schema");
      expect(await describeResponse(await put("text"))).toBe("422 invalid-schema");
    });
  });

  describe("a write", () => {
    const schema = {
      properties: { level: { type: "integer", maximum: 9 }, plan: { enum: ["free", "pro"] } },
      required: ["plan"],
      additionalProperties: false,
    };

    test("that creates a user is checked completely", async () => {
      await setSchema(schema);
      expect(await pointersOf(await create({ name: "Ada", level: 10, x: 1 }))).toEqual([
        "422",
        "/level",
        "/x",
        "/plan",
      ]);
      expect((await create({ name: "Ada", level: 9, plan: "pro" })).status).toBe(201);
    });

    test("with an idempotency key has the same outcome when it is repeated", async () => {
      await setSchema(schema);
      const headers = { "idempotency-key": crypto.randomUUID() };
      const first = await pointersOf(await create({ name: "Ada", level: 10 }, headers));
      await setSchema({});
      expect(await pointersOf(await create({ name: "Ada", level: 10 }, headers))).toEqual(first);
    });

    test("that changes a user is checked for the fields that it changes", async () => {
      const id = await createdId({ name: "Ada", level: 10, old: true });
      await setSchema(schema);
      const patch = (body: object) => service.call(`/api/users/${id}`, { method: "PATCH", json: body });
      const replace = (body: object) => service.call(`/api/users/${id}`, { method: "PUT", json: body });
      expect((await patch({ name: "Ada Lovelace" })).status).toBe(200);
      expect((await replace({ name: "Ada", level: 10, old: true })).status).toBe(200);
      expect((await replace({ name: "Ada L", old: true })).status).toBe(200);
      expect(await pointersOf(await patch({ level: 11 }))).toEqual(["422", "/level"]);
      expect(await pointersOf(await patch({ old: false }))).toEqual(["422", "/old"]);
      expect((await patch({ plan: "pro", old: null })).status).toBe(200);
      expect(await pointersOf(await patch({ plan: null }))).toEqual(["422", "/plan"]);
    });

    test("of an import or a bulk change is checked alike", async () => {
      const id = await createdId({ name: "Ada", level: 1, plan: "pro" });
      await setSchema(schema);
      const lines = ['{"name":"Bob","plan":"pro"}', '{"name":"Cem","plan":"x"}', '{"name":"Dee"}'].join("\n");
      for (const path of ["/api/users/import?dryRun=true", "/api/users/import"]) {
        const imported = await service.call(path, {
          method: "POST",
          body: lines,
          headers: { "content-type": "application/x-ndjson" },
        });
        const results = (await imported.text())
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line));
        expect(results.map(({ status }) => status)).toEqual([201, 422, 422]);
        expect(results[1].problem.errors[0].pointer).toBe("/plan");
      }
      const changed = await service.call("/api/users/bulk", {
        method: "POST",
        json: { ids: [id], patch: { level: 99 } },
      });
      expect(JSON.parse(await changed.text())).toMatchObject({ id, status: 422 });
    });
  });

  describe("a default", () => {
    const schema = {
      $defs: { tags: { type: "array", items: { type: "string" }, default: ["new"] } },
      properties: {
        plan: { type: "string", enum: ["free", "pro"], default: "free" },
        tags: { $ref: "#/$defs/tags" },
        seats: { type: ["integer", "null"], default: null },
      },
      required: ["plan"],
    };

    test("is what a new user gets for a field that the request lacks", async () => {
      await setSchema(schema);
      const user = await (await create({ name: "Ada", plan: "pro" })).json();
      expect(user).toMatchObject({ plan: "pro", tags: ["new"], seats: null });
      const [event] = await (await service.call("/api/events?sort=-id&limit=1")).json();
      expect(event.record).toMatchObject({ plan: "pro", tags: ["new"], seats: null });
      const found = await Array.fromAsync(service.roster.users.list({ where: { tags: "new" } }));
      expect(found.map(({ id }) => id)).toEqual([user.id]);
    });

    test("is not added to a user that exists", async () => {
      const id = await createdId({ name: "Ada", plan: "free" });
      await setSchema(schema);
      const replaced = await service.call(`/api/users/${id}`, {
        method: "PUT",
        json: { name: "Ada L", plan: "pro" },
      });
      expect(await replaced.json()).not.toHaveProperty("tags");
      const removed = await service.call(`/api/users/${id}`, { method: "PATCH", json: { plan: null } });
      expect(await pointersOf(removed)).toEqual(["422", "/plan"]);
    });

    test("is what the new users of an import get", async () => {
      await setSchema(schema);
      const existing = await createdId({ name: "Ada", email: "ada@example.com", tags: [] });
      const lines = [
        { name: "Ada L", email: "ada@example.com" },
        { name: "Eve", email: "eve@example.com", plan: "pro" },
      ];
      const body = lines.map((line) => JSON.stringify(line)).join("\n");
      const headers = { "content-type": "application/x-ndjson" };
      await service.call("/api/users/import?onConflict=update", { method: "POST", body, headers });
      expect(await service.roster.users.get(existing)).toMatchObject({ plan: "free", tags: [] });
      const eve = await service.roster.users.find({ email: "eve@example.com" });
      expect(eve).toMatchObject({ plan: "pro", tags: ["new"], seats: null });
    });

    test("is refused if its field does not allow it", async () => {
      const invalid = {
        properties: { plan: { enum: ["free"], default: "pro" }, ok: { default: 1, type: "integer" } },
      };
      expect(await pointersOf(await put(invalid))).toEqual(["422", "/properties/plan/default"]);
    });

    test("counts towards the size of a user", async () => {
      const text = "x".repeat(9000);
      await setSchema({ properties: { a: { default: text }, b: { default: text } } });
      const refused = await create({ name: "Ada" });
      expect(await pointersOf(refused)).toEqual(["422", ""]);
      expect((await create({ name: "Ada", a: "" })).status).toBe(201);
    });
  });

  describe("users that the schema does not allow", () => {
    test("are counted by a dry run, which stores nothing, and listed afterwards", async () => {
      const good = await createdId({ name: "Ada", level: 1 });
      const bad = await createdId({ name: "Bob", level: "high" });
      const schema = { properties: { level: { type: "integer" } } };
      const check = await service.call("/api/schema?dryRun=true", { method: "PUT", json: schema });
      const violation = {
        id: bad,
        errors: [{ pointer: "/level", detail: "The value must be of type integer." }],
      };
      expect(await check.json()).toEqual({ checked: 2, violating: 1, violations: [violation] });
      expect(await (await service.call("/api/schema")).text()).toBe("{}");
      await setSchema(schema);
      expect(await (await service.call("/api/schema/violations")).json()).toEqual([violation]);
      expect((await service.call(`/api/users/${bad}`)).status).toBe(200);
      expect(good).toBeLessThan(bad);
    });

    test("are paged", async () => {
      const ids: number[] = [];
      for (let i = 0; i < 5; i++) ids.push(await createdId({ name: `User ${i}` }));
      await setSchema({ required: ["plan"] });
      const found: number[] = [];
      for (let path: string | undefined = "/api/schema/violations?limit=2"; path; ) {
        const page = await service.call(path);
        const items: { id: number }[] = await page.json();
        expect(items.length).toBeLessThanOrEqual(2);
        found.push(...items.map(({ id }) => id));
        path = /<([^>]+)>/.exec(page.headers.get("link") ?? "")?.[1];
      }
      expect(found).toEqual(ids);
    });

    test("are counted with progress as NDJSON", async () => {
      await createdId({ name: "Ada" });
      const response = await service.call("/api/schema?dryRun=true", {
        method: "PUT",
        json: { required: ["plan"] },
        headers: {
          accept: "application/x-ndjson",
        },
      });
      const lines = (await response.text())
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));
      expect(lines[0]).toEqual({ checked: 0, total: 1 });
      expect(lines.at(-1)).toMatchObject({ checked: 1, violating: 1 });
    });
  });

  describe("a unique field", () => {
    const schema = { properties: { badge: unique, code: { type: ["integer", "null"], "x-unique": true } } };

    test("has each value once, without regard to case", async () => {
      await setSchema(schema);
      const id = await createdId({ name: "Ada", badge: "B-1", code: 1 });
      expect(await pointersOf(await create({ name: "Bob", badge: "b-1" }))).toEqual(["409", "/badge"]);
      expect(await pointersOf(await create({ name: "Bob", badge: "B-2", code: 1 }))).toEqual([
        "409",
        "/code",
      ]);
      const bob = await createdId({ name: "Bob", badge: "B-2", code: null });
      await createdId({ name: "Cem", code: null });
      expect(
        await describeResponse(
          await service.call(`/api/users/${bob}`, { method: "PATCH", json: { badge: "B-1" } }),
        ),
      ).toBe("409 value-taken");
      // A failed write claims nothing, and a user may keep its own value.
      expect(
        (await service.call(`/api/users/${bob}`, { method: "PATCH", json: { badge: "b-2", code: 2 } }))
          .status,
      ).toBe(200);
      // A value is free when its user has another one, or is deleted.
      expect(
        (await service.call(`/api/users/${id}`, { method: "PATCH", json: { badge: "B-3" } })).status,
      ).toBe(200);
      expect((await create({ name: "Dee", badge: "B-1" })).status).toBe(201);
      await service.call(`/api/users/${id}`, { method: "DELETE" });
      expect((await create({ name: "Eve", badge: "B-3", code: 1 })).status).toBe(201);
    });

    test("is restored with its user, unless another user has the value now", async () => {
      await setSchema(schema);
      const id = await createdId({ name: "Ada", email: "ada@example.com", badge: "B-1", code: 7 });
      await service.call(`/api/users/${id}`, { method: "DELETE" });
      const other = await createdId({ name: "Bob", badge: "b-1" });
      const restore = () => service.call(`/api/deleted-users/${id}/restore`, { method: "POST" });
      expect(await pointersOf(await restore())).toEqual(["409", "/badge"]);
      const bulk = await service.call("/api/users/bulk", {
        method: "POST",
        json: { ids: [id], restore: true },
      });
      expect(JSON.parse(await bulk.text())).toMatchObject({
        id,
        status: 409,
        problem: { type: "/problems/value-taken" },
      });
      // A failed restore claims nothing.
      expect((await create({ name: "Cem", code: 7 })).status).toBe(201);
      expect((await service.call(`/api/deleted-users/${id}`)).status).toBe(200);
      await service.call(`/api/users/${other}`, { method: "PATCH", json: { badge: "B-2" } });
      expect(await pointersOf(await restore())).toEqual(["409", "/code"]);
    });

    test("with a used email claims no value", async () => {
      await setSchema(schema);
      await createdId({ name: "Ada", email: "ada@example.com", badge: "B-1" });
      const taken = await create({ name: "Bob", email: "ada@example.com", badge: "B-2" });
      expect(await describeResponse(taken)).toBe("409 email-taken");
      expect((await create({ name: "Cem", badge: "B-2" })).status).toBe(201);
    });

    test("gets one of many racing creates", async () => {
      await setSchema(schema);
      const race = Array.from({ length: 20 }, (_, i) =>
        create({ name: `User ${i}`, badge: i % 2 ? "X" : "x" }),
      );
      const outcomes = await Promise.all((await Promise.all(race)).map(describeResponse));
      expect(outcomes.filter((outcome) => outcome === "201")).toHaveLength(1);
      expect(outcomes.filter((outcome) => outcome === "409 value-taken")).toHaveLength(19);
    });

    test("can be added if its values are unique, and is refused with examples otherwise", async () => {
      const [first, second] = [
        await createdId({ name: "Ada", badge: "B-1" }),
        await createdId({ name: "Bob", badge: "b-1" }),
      ];
      for (const path of ["/api/schema?dryRun=true", "/api/schema"]) {
        const refused = await service.call(path, { method: "PUT", json: schema });
        expect(await refused.json()).toMatchObject({
          type: "/problems/value-taken",
          errors: [
            {
              pointer: "/properties/badge/x-unique",
              detail: `The users ${first} and ${second} have the same value.`,
            },
          ],
        });
      }
      await service.call(`/api/users/${second}`, { method: "PATCH", json: { badge: "B-2" } });
      await setSchema(schema);
      expect(await describeResponse(await create({ name: "Cem", badge: "B-2" }))).toBe("409 value-taken");
      // Without x-unique, values can repeat, and the field cannot become unique again.
      await setSchema({ properties: { badge: { type: "string" } } });
      await createdId({ name: "Cem", badge: "B-2" });
      expect(await describeResponse(await put(schema))).toBe("409 value-taken");
    });

    test("finds the users of an import", async () => {
      await setSchema(schema);
      const id = await createdId({ name: "Ada", badge: "B-1" });
      const lines = [
        '{"name":"Ada L","badge":"b-1"}',
        '{"name":"Bob","badge":"B-2"}',
        '{"name":"Bob 2","badge":"B-2"}',
      ];
      const importUsers = async (query: string) => {
        const response = await service.call(`/api/users/import?${query}`, {
          method: "POST",
          body: lines.join("\n"),
          headers: { "content-type": "application/x-ndjson" },
        });
        const text = await response.text();
        return response.status === 200
          ? text
              .trim()
              .split("\n")
              .map((line) => JSON.parse(line).status)
          : response.status;
      };
      expect(await importUsers("match=badge&dryRun=true")).toEqual([409, 201, 409]);
      expect(await importUsers("match=badge&onConflict=update&dryRun=true")).toEqual([200, 201, 200]);
      expect(await importUsers("match=badge&onConflict=update")).toEqual([200, 201, 200]);
      expect(await (await service.call(`/api/users/${id}`)).json()).toMatchObject({
        name: "Ada L",
        badge: "b-1",
      });
      expect(await importUsers("match=level&onConflict=update")).toBe(400);
    });
  });
});
