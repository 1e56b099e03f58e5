import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Group } from "../../src/contract/groups/group-schemas.ts";
import { type Scope, scopes } from "../../src/contract/keys/key.ts";
import { credentialFields, prototypeNames } from "../../src/contract/users/field-name.ts";
import type { Call } from "../support/call.ts";
import { bearer } from "../support/credentials.ts";
import { onEachEngine } from "../support/engines.ts";
import { describeProblem, type ReadResponse, readResponse } from "../support/responses.ts";
import { startService, type TestService } from "../support/service.ts";
import { KeyAdmin } from "./access/support/key-admin.ts";
import { protectedOperations } from "./access/support/protected-operations.ts";
import { badIds, badListQueries, ifMatch } from "./support/record-requests.ts";

setDefaultTimeout(60_000);

/** The id of no user, key or webhook. */
const MISSING_ID = 999_999;

/** A valid group with one more member, as JSON text. */
const withMember = (member: string) => `{"name":"Bad",${member}}`;
const withField = (field: string) => withMember(`${JSON.stringify(field)}:1`);
const nested = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;
const manyFields = (count: number) =>
  JSON.stringify({
    name: "Bad",
    ...Object.fromEntries(Array.from({ length: count }, (_, i) => [`f${i}`, i])),
  });

/** Bodies that POST refuses, with the pointer of the error. The group Café exists. */
const badBodies: readonly (readonly [name: string, body: string, pointer: string])[] = [
  ["no name", "{}", "/name"],
  ["null for a name", '{"name":null}', "/name"],
  ["an empty name", '{"name":""}', "/name"],
  ["a blank name", '{"name":" \\t "}', "/name"],
  ["a name of 257 characters", JSON.stringify({ name: "x".repeat(257) }), "/name"],
  ["a name of 257 emoji", JSON.stringify({ name: "😀".repeat(257) }), "/name"],
  ["a line break in the name", '{"name":"Sales\\nNorth"}', "/name"],
  ["a C1 control character in the name", '{"name":"Sales\\u0085"}', "/name"],
  ["a NUL in the name", '{"name":"Sales\\u0000"}', "/name"],
  ["half of a surrogate pair in the name", '{"name":"Sales \\ud83d"}', "/name"],
  ["a number for a name", '{"name":7}', "/name"],
  ["an object for a name", '{"name":{"en":"Sales"}}', "/name"],
  ["members", withMember('"members":[1]'), "/members"],
  ["members of null", withMember('"members":null'), "/members"],
  ["a rule", withMember('"rule":"level ge 3"'), "/rule"],
  ["groups", withMember('"groups":[]'), "/groups"],
  ["a text as scim", withMember('"scim":"x"'), "/scim"],
  ["a list as scim", withMember('"scim":[]'), "/scim"],
  ...[...credentialFields, "API_KEY"].map(
    (field) => [`the credential ${field}`, withField(field), `/${field}`] as const,
  ),
  ...prototypeNames.map((field) => [`a field named ${field}`, withField(field), `/${field}`] as const),
  ["__proto__ inside a value", withMember('"a":[{"__proto__":1}]'), "/a/0/__proto__"],
  ["a field without a name", withField(""), "/"],
  ["a field's name with a hyphen", withField("cost-center"), "/cost-center"],
  ["a field's name of 65 letters", withField("x".repeat(65)), `/${"x".repeat(65)}`],
  ["257 fields", manyFields(256), ""],
  ["a record of more than 16 KiB", JSON.stringify({ name: "Bad", note: "x".repeat(16 * 1024) }), ""],
  ["a value nested 65 levels deep", withMember(`"a":${nested(65)}`), `/a${"/0".repeat(64)}`],
  ["a body nested 2,000 levels deep", withMember(`"a":${nested(2000)}`), ""],
  ["U+0000 in a value", withMember('"a":{"b":"x\\u0000"}'), "/a/b"],
  ["a number that is too large", withMember('"a":9007199254740993'), "/a"],
  ["an array for a body", '[{"name":"Sales"}]', ""],
  ["null for a body", "null", ""],
  ["a text for a body", '"Sales"', ""],
];

/** Names that another group has already, if the group Café exists. */
const takenNames: readonly (readonly [name: string, taken: string])[] = [
  ["the same name", "Café"],
  ["the name in capitals", "CAFÉ"],
  ["the name with spaces around it", "  Café "],
  ["the name in another Unicode normal form", "Café".normalize("NFD")],
  ["the name in capitals, in another Unicode normal form", "CAFÉ".normalize("NFD")],
];

onEachEngine((engine) => {
  let service: TestService;
  let call: Call;
  beforeAll(async () => {
    service = await startService({}, engine);
    call = service.call;
    await create({ name: "Café" });
  });
  afterAll(() => service.stop());

  const send = (method: string, path: string, json?: unknown, headers: Record<string, string> = {}) =>
    readResponse(call(path, { method, json, headers }));
  const post = (json: unknown, headers: Record<string, string> = {}) =>
    send("POST", "/api/groups", json, headers);
  const parse = ({ status, text }: ReadResponse): Group => {
    if (status >= 300) throw new Error(text);
    return JSON.parse(text);
  };
  const create = async (json: object) => parse(await post(json));
  const read = async (id: number) => parse(await send("GET", `/api/groups/${id}`));
  const list = async (query: string): Promise<Partial<Group>[]> =>
    await (await call(`/api/groups?${query}`)).json();
  const names = async (query: string) => (await list(query)).map(({ name }) => name);
  const eventsOf = async (id: number) =>
    JSON.parse((await send("GET", `/api/events?subject=group:${id}&limit=100`)).text);

  describe("POST /api/groups", () => {
    test("201: returns the group with id, member count, version and times, in the documented order", async () => {
      const response = await post({
        zeta: 1,
        name: "  Ops ",
        alpha: { deep: [null, true] },
        id: 99,
        memberCount: 12,
        version: 7,
        createdAt: "1999-01-01T00:00:00.000Z",
      });
      const group = parse(response);
      expect(response.status).toBe(201);
      expect(Object.keys(group)).toEqual([
        "id",
        "name",
        "zeta",
        "alpha",
        "memberCount",
        "version",
        "createdAt",
        "updatedAt",
      ]);
      expect(group).toMatchObject({ name: "Ops", zeta: 1, alpha: { deep: [null, true] }, memberCount: 0 });
      expect(group.version).toBe(1);
      expect(group.createdAt).toBe(group.updatedAt);
      expect(response.headers.get("location")).toBe(`${service.url}/api/groups/${group.id}`);
      expect(response.headers.get("etag")).toBe('"1"');
      expect((await send("GET", `/api/groups/${group.id}`)).text).toBe(response.text);
    });

    test("201: a name has up to 256 characters, and fields have the names that users' fields have", async () => {
      const name = "😀".repeat(256);
      expect(await create({ name, email: "no address", userName: 7, active: "yes" })).toMatchObject({
        name,
        email: "no address",
        userName: 7,
        active: "yes",
      });
    });

    test("201: scim is an object, and null for none", async () => {
      const scim = { extensions: { "urn:example": { a: 1 } } };
      const { id } = await create({ name: "With scim", scim });
      expect(await read(id)).toMatchObject({ scim });
      expect(await create({ name: "Without scim", scim: null })).not.toHaveProperty("scim");
      const patched = parse(await send("PATCH", `/api/groups/${id}`, { scim: { note: "x" } }));
      expect(patched.scim).toEqual({ ...scim, note: "x" });
      expect((await send("PATCH", `/api/groups/${id}`, { scim: 7 })).status).toBe(422);
      expect(parse(await send("PATCH", `/api/groups/${id}`, { scim: null }))).not.toHaveProperty("scim");
    });

    test("201: the schema for custom fields does not apply", async () => {
      const schema = { properties: { level: { type: "number" } }, required: ["level"] };
      expect((await send("PUT", "/api/schema", schema)).status).toBe(200);
      try {
        expect(await create({ name: "Without a level" })).not.toHaveProperty("level");
        expect(await create({ name: "With a text for a level", level: "high" })).toMatchObject({
          level: "high",
        });
      } finally {
        await send("DELETE", "/api/schema");
      }
    });

    test("201: ids increase by one and are not reused after a delete", async () => {
      const first = await create({ name: "First" });
      expect((await send("DELETE", `/api/groups/${first.id}`)).status).toBe(204);
      expect((await create({ name: "Second" })).id).toBe(first.id + 1);
    });

    test.each(badBodies)("422 invalid-group: %s", async (_, body, pointer) => {
      const before = await list("sort=-id&limit=1");
      const response = await readResponse(
        call("/api/groups", { method: "POST", body, headers: { "content-type": "application/json" } }),
      );
      expect(describeProblem(response)).toEqual([422, "invalid-group", [pointer]]);
      expect(await list("sort=-id&limit=1")).toEqual(before);
    });

    test.each(takenNames)("409 value-taken: %s", async (_, name) => {
      const response = await post({ name });
      expect(describeProblem(response)).toEqual([409, "value-taken", ["/name"]]);
      expect(response.problem?.detail).toBe(`Another group has the name ${JSON.stringify(name.trim())}.`);
    });

    test("201: a name with other letters, or without accents, is another name", async () => {
      expect((await create({ name: "Cafe" })).name).toBe("Cafe");
      expect((await create({ name: "Café au lait" })).name).toBe("Café au lait");
    });

    test("409 value-taken: of many concurrent creates with one name, exactly one is 201", async () => {
      const statuses = await Promise.all(
        Array.from({ length: 20 }, async () => (await post({ name: "Race" })).status),
      );
      expect(statuses.sort()).toEqual([201, ...Array<number>(19).fill(409)]);
    });

    test("422 invalid-group: lists every error", async () => {
      const response = await post({ password: "x", "bad name": 1, members: [] });
      expect(describeProblem(response)).toEqual([
        422,
        "invalid-group",
        ["/password", "/bad name", "/members", "/name"],
      ]);
    });

    test.each([
      ["not JSON", "{", "application/json", 400, "malformed-json"],
      ["empty", "", "application/json", 400, "malformed-json"],
      ["not UTF-8", "\xff", "application/json", 400, "malformed-json"],
      ["too large", `"${"x".repeat(70_000)}"`, "application/json", 413, "too-large"],
      ["CSV", "name\nSales", "text/csv", 415, "unsupported-media-type"],
    ])("a body that is %s", async (_, body, type, status, problem) => {
      const bytes = Buffer.from(body, "latin1");
      const response = await readResponse(
        call("/api/groups", { method: "POST", body: bytes, headers: { "content-type": type } }),
      );
      expect(describeProblem(response)).toEqual([status, problem]);
    });
  });

  describe("Idempotency-Key", () => {
    const key = (text: string) => ({ "idempotency-key": text });

    test("replays the response to the same key and body, and creates one group", async () => {
      const first = await post({ name: "Once" }, key("once"));
      const again = await post({ name: "Once" }, key("once"));
      expect([first.status, again.status]).toEqual([201, 201]);
      expect(first.headers.get("idempotency-replayed")).toBeNull();
      expect(again.headers.get("idempotency-replayed")).toBe("true");
      expect(again.text).toBe(first.text);
      for (const name of ["location", "etag"]) expect(again.headers.get(name)).toBe(first.headers.get(name));
      expect(await names("name=Once")).toEqual(["Once"]);
    });

    test("replays problems too", async () => {
      for (const [index, body] of [{ name: "Café" }, { name: "" }, { name: "Bad", rule: 1 }].entries()) {
        const headers = key(`problem ${index}`);
        const first = await post(body, headers);
        const again = await post(body, headers);
        expect(describeProblem(again)).toEqual(describeProblem(first));
        expect([first, again].map((response) => response.headers.get("idempotency-replayed"))).toEqual([
          null,
          "true",
        ]);
      }
    });

    test("replays the first outcome even if the group was changed or deleted since", async () => {
      const first = await post({ name: "Then" }, key("then"));
      const { id } = parse(first);
      await send("PATCH", `/api/groups/${id}`, { name: "Now" });
      expect((await post({ name: "Then" }, key("then"))).text).toBe(first.text);
      await send("DELETE", `/api/groups/${id}`);
      expect((await post({ name: "Then" }, key("then"))).text).toBe(first.text);
    });

    test("422 idempotency-mismatch: another body", async () => {
      await post({ name: "One body" }, key("body"));
      expect(describeProblem(await post({ name: "Another body" }, key("body")))).toEqual([
        422,
        "idempotency-mismatch",
      ]);
    });

    test("422 idempotency-mismatch: the same body was sent for the other resource", async () => {
      const json = { name: "Group or user" };
      for (const [first, second] of [
        ["/api/users", "/api/groups"],
        ["/api/groups", "/api/users"],
      ] as const) {
        const headers = key(`first to ${first}`);
        const created = await send("POST", first, json, headers);
        expect(created.status).toBe(201);
        expect(describeProblem(await send("POST", second, json, headers))).toEqual([
          422,
          "idempotency-mismatch",
        ]);
        expect((await send("POST", first, json, headers)).text).toBe(created.text);
      }
    });

    test("400 invalid-header: a key that is not allowed", async () => {
      expect(describeProblem(await post({ name: "Bad" }, key("é")))).toEqual([400, "invalid-header"]);
    });

    test("409 idempotency-in-flight: a request with the key is running, whatever it creates", async () => {
      const { promise: rest, resolve: finish } = Promise.withResolvers<void>();
      const { promise: started, resolve: start } = Promise.withResolvers<void>();
      const body = new ReadableStream<Uint8Array>({
        async pull(controller) {
          controller.enqueue(Buffer.from('{"name":'));
          start();
          await rest;
          controller.enqueue(Buffer.from('"Slow"}'));
          controller.close();
        },
      });
      const headers = { ...key("slow"), "content-type": "application/json" };
      const slow = readResponse(call("/api/groups", { method: "POST", body, headers }));
      await started;
      const refused: unknown[] = [];
      for (const path of ["/api/groups", "/api/users"]) {
        let response = await send("POST", path, { name: "Slow" }, key("slow"));
        // The service may not have received the slow request yet: then this one creates the group.
        while (response.status === 201) response = await send("POST", path, { name: "Slow" }, key("slow"));
        refused.push(describeProblem(response));
      }
      finish();
      expect(refused).toEqual(Array(2).fill([409, "idempotency-in-flight"]));
      expect((await slow).status).toBe(201);
    });
  });

  describe("GET /api/groups/{id}", () => {
    test("200: the group with its ETag, also by HEAD, and 304 if the caller has this version", async () => {
      const { id } = await create({ name: "Read", region: "north" });
      const response = await send("GET", `/api/groups/${id}`);
      expect(JSON.parse(response.text)).toMatchObject({ id, name: "Read", region: "north", version: 1 });
      expect(response.headers.get("etag")).toBe('"1"');
      const cached = await send("GET", `/api/groups/${id}`, undefined, { "if-none-match": '"1"' });
      expect([cached.status, cached.text, cached.headers.get("etag")]).toEqual([304, "", '"1"']);
      const head = await call(`/api/groups/${id}`, { method: "HEAD" });
      expect([head.status, head.headers.get("etag")]).toEqual([200, '"1"']);
      expect((await send("GET", `/api/groups/${id}`, undefined, ifMatch(1))).status).toBe(200);
    });

    test("412 version-mismatch: If-Match names another version", async () => {
      const { id } = await create({ name: "Read with If-Match" });
      const response = await send("GET", `/api/groups/${id}`, undefined, ifMatch(2));
      expect(describeProblem(response)).toEqual([412, "version-mismatch"]);
      expect(response.problem?.detail).toStartWith(`Group ${id} is at version 1 now.`);
    });
  });

  describe("A path with an id", () => {
    test.each(badIds)("404 group-not-found: %s is not an id", async (id) => {
      for (const [method, body] of [
        ["GET", undefined],
        ["PUT", { name: "X" }],
        ["PATCH", {}],
        ["DELETE", undefined],
      ] as const) {
        expect(describeProblem(await send(method, `/api/groups/${id}`, body))).toEqual([
          404,
          "group-not-found",
        ]);
      }
    });

    test("404 group-not-found: no group has the id", async () => {
      for (const [method, body] of [
        ["GET", undefined],
        ["PUT", { name: "X" }],
        ["PATCH", { a: 1 }],
        ["DELETE", undefined],
      ] as const) {
        expect(describeProblem(await send(method, "/api/groups/999999", body))).toEqual([
          404,
          "group-not-found",
        ]);
      }
    });

    test("405 method-not-allowed: other methods", async () => {
      for (const path of ["/api/groups/1", "/api/groups"]) {
        const allowed = (await call(path, { method: "OPTIONS" })).headers.get("allow");
        expect(describeProblem(await send(path === "/api/groups" ? "DELETE" : "POST", path))).toEqual([
          405,
          "method-not-allowed",
        ]);
        expect(allowed).toBe(
          path === "/api/groups" ? "GET, POST, HEAD, OPTIONS" : "GET, PUT, PATCH, DELETE, HEAD, OPTIONS",
        );
      }
    });
  });

  describe("PUT /api/groups/{id}", () => {
    test("200: replaces the name and the fields, and keeps the order of fields", async () => {
      const { id } = await create({ name: "Put", a: 1, b: 2 });
      const response = await send("PUT", `/api/groups/${id}`, { c: 3, b: 4, name: "Put again" });
      const group = parse(response);
      expect(Object.keys(group).slice(0, 4)).toEqual(["id", "name", "b", "c"]);
      expect(group).toMatchObject({ name: "Put again", b: 4, c: 3, version: 2 });
      expect(group).not.toHaveProperty("a");
      expect(response.headers.get("etag")).toBe('"2"');
      expect(await read(id)).toEqual(group);
    });

    test("200: what GET returned changes nothing", async () => {
      const { id } = await create({ name: "Same", region: "north", level: 3 });
      const before = await read(id);
      expect(parse(await send("PUT", `/api/groups/${id}`, before))).toEqual(before);
      expect(parse(await send("PUT", `/api/groups/${id}`, { ...before, id: null, memberCount: 99 }))).toEqual(
        before,
      );
      expect(await eventsOf(id)).toHaveLength(1);
    });

    test("409 value-taken: another group has the name, and the group keeps its own", async () => {
      const { id } = await create({ name: "Tea" });
      const problem = [409, "value-taken", ["/name"]];
      expect(describeProblem(await send("PUT", `/api/groups/${id}`, { name: "CAFÉ" }))).toEqual(problem);
      expect(describeProblem(await send("PATCH", `/api/groups/${id}`, { name: "café" }))).toEqual(problem);
      expect(parse(await send("PATCH", `/api/groups/${id}`, { name: "TEA" }))).toMatchObject({
        name: "TEA",
        version: 2,
      });
    });

    test("422 invalid-group: the body names another id, or is not valid", async () => {
      const { id } = await create({ name: "Put badly" });
      const put = async (body: object) => describeProblem(await send("PUT", `/api/groups/${id}`, body));
      expect(await put({ name: "Put badly", id: id + 1 })).toEqual([422, "invalid-group", ["/id"]]);
      expect(await put({ name: "Put badly", id: String(id) })).toEqual([422, "invalid-group", ["/id"]]);
      expect(await put({ region: "north" })).toEqual([422, "invalid-group", ["/name"]]);
      expect(await put({ name: "Put badly", members: [] })).toEqual([422, "invalid-group", ["/members"]]);
      expect((await read(id)).version).toBe(1);
    });
  });

  describe("PATCH /api/groups/{id}", () => {
    test("200: merges objects, and null removes a field", async () => {
      const { id } = await create({ name: "Patch", a: { b: 1, c: 2 }, d: 4 });
      const response = await readResponse(
        call(`/api/groups/${id}`, {
          method: "PATCH",
          json: { a: { b: null, e: 5 }, d: null, name: " Patched " },
          headers: { "content-type": "application/merge-patch+json" },
        }),
      );
      expect(parse(response)).toMatchObject({ name: "Patched", a: { c: 2, e: 5 }, version: 2 });
      expect(parse(response)).not.toHaveProperty("d");
      expect(response.headers.get("etag")).toBe('"2"');
    });

    test("200: a patch that changes nothing keeps version and time", async () => {
      const { id } = await create({ name: "Unchanged", a: { b: 1 } });
      const before = await read(id);
      for (const patch of [
        {},
        { a: { b: 1 } },
        { missing: null },
        { name: "Unchanged " },
        { memberCount: 5, version: 9, createdAt: null, updatedAt: 0, id },
      ]) {
        expect(parse(await send("PATCH", `/api/groups/${id}`, patch))).toEqual(before);
      }
      expect(await eventsOf(id)).toHaveLength(1);
    });

    test.each([
      ["null for the name", { name: null }, "/name"],
      ["a blank name", { name: " " }, "/name"],
      ["a name of 257 characters", { name: "x".repeat(257) }, "/name"],
      ["members", { members: null }, "/members"],
      ["a rule", { rule: {} }, "/rule"],
      ["groups", { groups: [1] }, "/groups"],
      ["a credential", { secret: "x" }, "/secret"],
      ["another id", { id: 1_000_000 }, "/id"],
      ["a body that is no object", [1], ""],
    ])("422 invalid-group: %s", async (name, patch, pointer) => {
      const { id } = await create({ name: `Patched with ${name}` });
      expect(describeProblem(await send("PATCH", `/api/groups/${id}`, patch))).toEqual([
        422,
        "invalid-group",
        [pointer],
      ]);
      expect((await read(id)).version).toBe(1);
    });

    test("422 invalid-group: the patched group would be too large, or have too many fields", async () => {
      const { id } = await create({ name: "Large", note: "x".repeat(9000) });
      const patch = async (body: object) => {
        const { status, problem } = await send("PATCH", `/api/groups/${id}`, body);
        return [status, problem?.errors];
      };
      expect(await patch({ more: "x".repeat(9000) })).toEqual([
        422,
        [{ pointer: "", detail: "The record would have more than 16384 bytes of JSON." }],
      ]);
      expect(await patch(Object.fromEntries(Array.from({ length: 255 }, (_, i) => [`f${i}`, i])))).toEqual([
        422,
        [{ pointer: "", detail: "The record would have more than 256 fields." }],
      ]);
    });

    test("415 unsupported-media-type: another type", async () => {
      const response = await readResponse(
        call("/api/groups/1", {
          method: "PATCH",
          body: "[]",
          headers: { "content-type": "application/json-patch+json" },
        }),
      );
      expect(describeProblem(response)).toEqual([415, "unsupported-media-type"]);
    });
  });

  describe("Preconditions of changes", () => {
    const changes = [
      ["PUT", { name: "Changed" }],
      ["PATCH", { a: 1 }],
      ["DELETE", undefined],
    ] as const;

    test.each([
      ["If-Match of another version", { "if-match": '"2"' }, "version-mismatch"],
      ["If-Match of version 0", { "if-match": '"0"' }, "version-mismatch"],
      ["a malformed If-Match", { "if-match": "1" }, "version-mismatch"],
      ["an empty If-Match", { "if-match": "" }, "version-mismatch"],
      ["If-None-Match of any version", { "if-none-match": "*" }, "precondition-failed"],
      ["If-None-Match of this version", { "if-none-match": '"1"' }, "precondition-failed"],
    ])("412: %s", async (name, headers, type) => {
      const { id } = await create({ name: `Changed with ${name}` });
      for (const [method, body] of changes) {
        const response = await send(method, `/api/groups/${id}`, body, headers);
        expect(describeProblem(response)).toEqual([412, type]);
        expect(response.problem?.detail).toContain("Nothing was changed.");
      }
      expect((await read(id)).version).toBe(1);
    });

    test("200: If-Match of this version, of a list with it, and of any version", async () => {
      const { id } = await create({ name: "Matched" });
      for (const [step, match] of ['"1"', '"7", W/"2"', "*"].entries()) {
        const headers = { "if-match": match };
        expect(parse(await send("PATCH", `/api/groups/${id}`, { step }, headers)).version).toBe(step + 2);
      }
      expect((await send("DELETE", `/api/groups/${id}`, undefined, ifMatch(4))).status).toBe(204);
      expect(describeProblem(await send("PATCH", `/api/groups/${id}`, {}, { "if-match": "*" }))).toEqual([
        404,
        "group-not-found",
      ]);
    });
  });

  describe("DELETE /api/groups/{id}", () => {
    test("204: the group is gone, and its name is free at once", async () => {
      const { id } = await create({ name: "Short-lived" });
      const response = await send("DELETE", `/api/groups/${id}`);
      expect([response.status, response.text]).toEqual([204, ""]);
      expect(describeProblem(await send("GET", `/api/groups/${id}`))).toEqual([404, "group-not-found"]);
      expect(describeProblem(await send("DELETE", `/api/groups/${id}`))).toEqual([404, "group-not-found"]);
      expect(await names("name=Short-lived")).toEqual([]);
      expect((await create({ name: "SHORT-LIVED" })).id).toBeGreaterThan(id);
    });

    test("a new name makes the old one free at once", async () => {
      const { id } = await create({ name: "Old name" });
      parse(await send("PATCH", `/api/groups/${id}`, { name: "New name" }));
      expect((await create({ name: "Old name" })).id).toBeGreaterThan(id);
      expect((await post({ name: "New name" })).status).toBe(409);
    });
  });

  describe("GET /api/groups", () => {
    const regions = ["north", "south", "east"];
    beforeAll(async () => {
      for (let index = 0; index < 12; index++) {
        await create({
          name: `${index % 2 ? "Sales" : "Supply"} ${String.fromCharCode(65 + index)}`,
          region: regions[index % 3],
          level: index,
          list: "yes",
        });
      }
    });

    const ours = "list=yes";

    test("200: without parameters, groups in the order of their ids, as they are read", async () => {
      const groups = await list(`${ours}&limit=3`);
      for (const group of groups) expect(await read(group.id ?? 0)).toEqual(Object(group));
      const ids = (await list("limit=1000")).map(({ id = 0 }) => id);
      expect(ids).toEqual(ids.toSorted((a, b) => a - b));
    });

    test("200: q finds words of the name, ignoring case and accents", async () => {
      expect(await names(`${ours}&q=SALES`)).toHaveLength(6);
      expect(await names(`${ours}&q=sup%20k`)).toEqual(["Supply K"]);
      expect(await names("q=cafe&sort=id")).toEqual(["Café", "Cafe", "Café au lait"]);
      expect(await names("q=north")).toEqual([]);
    });

    test.each([
      ["memberCount ge 0", 12],
      ["memberCount gt 0", 0],
      ['name sw "Sal"', 6],
      ['name sw "sal" and region eq "NORTH"', 2],
      ["level lt 3 or level ge 10", 5],
      ['not (name co "sales")', 6],
      ["version eq 1", 12],
      ["region pr", 12],
      ["members pr", 0],
    ])("200: filter=%s", async (filter, count) => {
      expect(await list(`${ours}&filter=${encodeURIComponent(filter)}`)).toHaveLength(count);
    });

    test("200: other parameters filter by field", async () => {
      expect(await names(`${ours}&region=north&region=south&limit=1000`)).toHaveLength(8);
      expect(await names("name=sales%20b")).toEqual(["Sales B"]);
      expect(await names("memberCount=5")).toEqual([]);
      expect(await list(`${ours}&memberCount=0`)).toHaveLength(12);
    });

    test("200: sort by columns and custom fields, in both directions", async () => {
      const byName = await names(`${ours}&sort=name`);
      expect(byName).toEqual(byName.toSorted());
      expect(await names(`${ours}&sort=-name`)).toEqual(byName.toReversed());
      const byId = await names(ours);
      expect(await names(`${ours}&sort=memberCount`)).toEqual(byId);
      expect(await names(`${ours}&sort=-memberCount`)).toEqual(byId.toReversed());
      expect(await names(`${ours}&sort=-level`)).toEqual(byId.toReversed());
    });

    test("200: fields selects fields beside id and version", async () => {
      const [group = {}] = await list(`${ours}&fields=name,memberCount&limit=1`);
      expect(Object.keys(group).sort()).toEqual(["id", "memberCount", "name", "version"]);
    });

    test("200: count=true adds the number of groups", async () => {
      const response = await call(`/api/groups?${ours}&count=true&limit=2`);
      expect(response.headers.get("x-total-count")).toBe("12");
      expect((await call(`/api/groups?${ours}`)).headers.get("x-total-count")).toBeNull();
    });

    test("200: the Link header leads to every page, and back", async () => {
      const followed: unknown[] = [];
      let path: string | undefined = `/api/groups?${ours}&limit=5&sort=-memberCount`;
      while (path !== undefined) {
        const response: Response = await call(path);
        const page: Group[] = await response.json();
        followed.push(...page.map(({ id }) => id));
        path = /<([^>]+)>; rel="next"/.exec(response.headers.get("link") ?? "")?.[1];
      }
      expect(followed).toEqual((await list(`${ours}&sort=-memberCount`)).map(({ id }) => id));
      const second = await call(`/api/groups?${ours}&limit=5&offset=5`);
      expect(second.headers.get("link")).toContain('rel="prev"');
      expect(second.headers.get("link")).toContain('rel="first"');
    });

    test("200: Roster-Event is the last event, and a change moves it", async () => {
      const lastEvent = async () => (await call("/api/groups?limit=1")).headers.get("roster-event") ?? "";
      const before = await lastEvent();
      const { id } = await create({ name: "Noticed" });
      const [event] = await eventsOf(id);
      expect(event.id > before).toBe(true);
      const after = await (await call(`/api/events?after=${before}`)).json();
      expect(after).toMatchObject([{ type: "group.created", subject: { type: "group", id } }]);
    });

    test.each(badListQueries)("400 invalid-query: %s", async (query, parameter) => {
      for (const path of ["/api/groups", "/api/groups/explain"])
        expect(describeProblem(await send("GET", `${path}?${query}`))).toEqual([
          400,
          "invalid-query",
          [parameter],
        ]);
    });

    test("400 invalid-query: a cursor of another order", async () => {
      const response = await call(`/api/groups?${ours}&limit=5&sort=name`);
      const after = /after=([^&>]+)/.exec(response.headers.get("link") ?? "")?.[1];
      expect(describeProblem(await send("GET", `/api/groups?sort=memberCount&after=${after}`))).toEqual([
        400,
        "invalid-query",
        ["after"],
      ]);
    });

    test("406 not-acceptable: CSV", async () => {
      expect(describeProblem(await send("GET", "/api/groups", undefined, { accept: "text/csv" }))).toEqual([
        406,
        "not-acceptable",
      ]);
    });

    test("200: GET /api/groups/explain says how the page is found, and returns no groups", async () => {
      const explain = async (query: string) => await (await call(`/api/groups/explain?${query}`)).json();
      expect(await explain("limit=3")).toMatchObject({
        order: "id",
        plan: { kind: "all" },
        found: 3,
        hasMore: true,
      });
      expect(await explain("name=caf%C3%A9")).toMatchObject({ found: 1 });
      const filtered = await explain(`${ours}&sort=-memberCount`);
      expect(filtered).toMatchObject({ order: "-memberCount", found: 12, complete: true });
      expect(JSON.stringify(filtered)).not.toContain("Sales");
    });
  });

  describe("Events", () => {
    test("each change of a group has an event with the group and the changed fields", async () => {
      const created = await create({ name: "Watched", region: "north" });
      const { id } = created;
      const updated = parse(await send("PATCH", `/api/groups/${id}`, { region: null, name: "Seen" }));
      await send("DELETE", `/api/groups/${id}`);
      const subject = { type: "group", id };
      expect(await eventsOf(id)).toMatchObject([
        { type: "group.created", subject, version: 1, changes: {}, record: created },
        {
          type: "group.updated",
          subject,
          version: 2,
          changes: { name: { from: "Watched", to: "Seen" }, region: { from: "north" } },
          record: updated,
        },
        { type: "group.deleted", subject, version: 2, changes: {}, record: updated },
      ]);
      const ofType = await (await call(`/api/events?type=group.*&subject=group:${id}`)).json();
      expect(ofType).toHaveLength(3);
      expect(await (await call(`/api/events?type=user.*&subject=group:${id}`)).json()).toEqual([]);
    });

    test("a refused change has no event", async () => {
      const { id } = await create({ name: "Quiet" });
      await send("PATCH", `/api/groups/${id}`, { name: "Café" });
      await send("PATCH", `/api/groups/${id}`, { rule: 1 });
      await send("DELETE", `/api/groups/${id}`, undefined, ifMatch(9));
      expect(await eventsOf(id)).toHaveLength(1);
    });

    test("webhooks accept the types of groups", async () => {
      const types = ["group.*", "group.deleted"];
      const url = "https://hooks.example.com/groups";
      const response = await send("POST", "/api/webhooks", { url, types });
      expect(response.status).toBe(201);
      const { id } = JSON.parse(response.text);
      await send("DELETE", `/api/webhooks/${id}`);
    });
  });
});

/** What keys with some scopes may do, and what they learn. */
onEachEngine((engine) => {
  const admin = new KeyAdmin(engine);
  const keyWith = async (...scopes: Scope[]) =>
    bearer((await admin.createKey({ name: scopes.join(), scopes })).key);
  const send = (method: string, path: string, json: unknown, headers: Record<string, string>) =>
    readResponse(admin.call(path, { method, json, headers }));

  describe("Scopes of groups", () => {
    test("a key without groups:read gets 204 with the ETag for a change, and the group that it creates", async () => {
      const writer = await keyWith("groups:write");
      const created = await send("POST", "/api/groups", { name: "Written", salary: 100 }, writer);
      expect(created.status).toBe(201);
      const { id } = JSON.parse(created.text);
      const path = `/api/groups/${id}`;
      for (const [method, body, version] of [
        ["PATCH", {}, 1],
        ["PATCH", { region: "north" }, 2],
        ["PUT", { name: "Rewritten" }, 3],
      ] as const) {
        const response = await send(method, path, body, writer);
        expect([response.status, response.text, response.headers.get("etag")]).toEqual([
          204,
          "",
          `"${version}"`,
        ]);
      }
      const both = await keyWith("groups:read", "groups:write");
      const changed = await send("PATCH", path, { region: "south" }, both);
      expect(JSON.parse(changed.text)).toMatchObject({ id, name: "Rewritten", region: "south", version: 4 });
      expect((await send("DELETE", path, undefined, writer)).status).toBe(204);
    });

    test("groups:read does not allow changes, and scopes of users allow nothing", async () => {
      const { id } = await (
        await admin.call("/api/groups", { method: "POST", json: { name: "Guarded" } })
      ).json();
      const reader = await keyWith("groups:read");
      const ofUsers = await keyWith("users:read", "users:write", "users:purge");
      const path = `/api/groups/${id}`;
      expect((await send("GET", path, undefined, reader)).status).toBe(200);
      expect((await send("GET", "/api/groups", undefined, reader)).status).toBe(200);
      for (const [method, target, body] of [
        ["POST", "/api/groups", { name: "X" }],
        ["PUT", path, { name: "X" }],
        ["PATCH", path, {}],
        ["DELETE", path, undefined],
      ] as const) {
        for (const headers of [reader, ofUsers]) {
          const response = await send(method, target, body, headers);
          expect(describeProblem(response)).toEqual([403, "insufficient-scope"]);
          expect(response.headers.get("www-authenticate")).toContain('scope="groups:write"');
        }
      }
      for (const target of [path, "/api/groups", "/api/groups/explain"])
        expect(describeProblem(await send("GET", target, undefined, ofUsers))).toEqual([
          403,
          "insufficient-scope",
        ]);
      expect(describeProblem(await send("GET", path, undefined, {}))).toEqual([401, "unauthenticated"]);
      // Reading events needs its own scope, also those of groups.
      expect((await send("GET", "/api/events?type=group.*", undefined, reader)).status).toBe(403);
    });

    test("no operation returns what is in a group to a key without groups:read and events:read", async () => {
      const secret = `canary${crypto.randomUUID().replaceAll("-", "")}`;
      const key = await keyWith(
        ...scopes.filter((scope) => scope !== "groups:read" && scope !== "events:read"),
      );
      let answered = 0;
      for (const [index, { name, resource, toRequest }] of protectedOperations.entries()) {
        // Each operation gets a group of its own: one of them deletes it.
        const canary = { name: `${secret} ${index}`, [secret]: { [secret]: [secret] } };
        const created = await admin.call("/api/groups", { method: "POST", json: canary });
        const { id } = await created.json();
        const { path, ...request } = toRequest(resource === "groups" ? id : MISSING_ID);
        const { headers, text, status } = await readResponse(
          admin.call(path, { ...request, headers: { ...request.headers, ...key } }),
        );
        expect([name, `${[...headers].join("\n")}\n${text}`.includes(secret)]).toEqual([name, false]);
        if (resource === "groups" && status < 300) answered++;
      }
      // POST, PUT, PATCH, DELETE and import of groups; PATCH, PUT, DELETE and import of members.
      expect(answered).toBe(9);
      expect(await (await admin.call(`/api/groups?q=${secret}`)).text()).toContain(secret);
    });
  });
});
