import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { isObject, type JsonObject } from "../../../src/contract/json.ts";
import type { Scope } from "../../../src/contract/keys/key.ts";
import { onEachEngine } from "../../support/engines.ts";
import { until } from "../../support/until.ts";
import { patchOf, ScimCaller, type ScimService, startScimService } from "./support/scim-caller.ts";

setDefaultTimeout(60_000);

const ENTERPRISE = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";
const ERROR = "urn:ietf:params:scim:api:messages:2.0:Error";

onEachEngine((engine) => {
  let service: ScimService;
  let scim: ScimCaller;
  beforeAll(async () => {
    service = await startScimService(engine);
    scim = await service.connect();
  });
  afterAll(() => service.stop());

  let count = 0;
  const newName = () => `bulk-${++count}`;
  const post = (path: string, bulkId: string, data: object) => ({ method: "POST", path, bulkId, data });
  const postUser = (bulkId: string, attributes: object = {}) =>
    post("/Users", bulkId, { userName: newName(), ...attributes });
  const managedBy = (value: string) => ({ [ENTERPRISE]: { manager: { value } } });
  const send = async (
    operations: readonly object[],
    more: object = {},
    caller = scim,
  ): Promise<JsonObject[]> => {
    const request = { schemas: ["urn:ietf:params:scim:api:messages:2.0:BulkRequest"], ...more };
    const { status, headers, body } = await caller.send("POST /Bulk", { ...request, Operations: operations });
    expect([status, headers.get("content-type")]).toEqual([200, "application/scim+json"]);
    expect(body.schemas).toEqual(["urn:ietf:params:scim:api:messages:2.0:BulkResponse"]);
    return (Array.isArray(body.Operations) ? body.Operations : []).filter(isObject);
  };
  const statuses = (operations: readonly JsonObject[]) => operations.map(({ status }) => status);
  /** The id at the end of a location. */
  const idOf = (operation: JsonObject | undefined) => String(operation?.location).replace(/^.*\//, "");
  const managerOf = async (id: string) =>
    Object((await scim.expect(`GET /Users/${id}`)).body[ENTERPRISE]).manager?.value;
  const membersOf = async (id: string) => {
    const { members } = (await scim.expect(`GET /Groups/${id}`)).body;
    return (Array.isArray(members) ? members : []).map((member) => Object(member).value);
  };

  test("each operation answers as if it came alone, in order", async () => {
    const id = await scim.create("/Users", { userName: newName() });
    const gone = await scim.create("/Users", { userName: newName() });
    const groupId = await scim.create("/Groups", { displayName: newName() });
    const location = (path: string) => `${service.url}/scim/v2${path}`;
    const userName = newName();
    const [created, ...others] = await send([
      postUser("new"),
      { method: "PUT", path: `/Users/${id}`, data: { userName } },
      {
        method: "PATCH",
        path: `/users/${id}`,
        version: 'W/"2"',
        data: patchOf({ op: "add", path: "title", value: "T" }),
      },
      {
        method: "patch",
        path: `Groups/${groupId}`,
        data: patchOf({ op: "add", path: "members", value: [id] }),
      },
      { method: "DELETE", path: `/Users/${gone}` },
      post("/Users", "taken", { userName: userName.toUpperCase() }),
      {
        method: "PATCH",
        path: `/Users/${id}`,
        version: 'W/"1"',
        data: patchOf({ op: "add", path: "title", value: "X" }),
      },
      { method: "DELETE", path: "/Groups/g987654321" },
    ]);
    expect(created).toEqual({
      method: "POST",
      bulkId: "new",
      status: "201",
      version: 'W/"1"',
      location: expect.stringMatching(/\/scim\/v2\/Users\/\d+$/),
    });
    expect(others).toEqual([
      { method: "PUT", status: "200", version: 'W/"2"', location: location(`/Users/${id}`) },
      { method: "PATCH", status: "200", version: 'W/"3"', location: location(`/Users/${id}`) },
      { method: "PATCH", status: "204", version: 'W/"2"', location: location(`/Groups/${groupId}`) },
      { method: "DELETE", status: "204", location: location(`/Users/${gone}`) },
      {
        method: "POST",
        bulkId: "taken",
        status: "409",
        response: { schemas: [ERROR], status: "409", scimType: "uniqueness", detail: expect.any(String) },
      },
      {
        method: "PATCH",
        status: "412",
        location: location(`/Users/${id}`),
        response: { schemas: [ERROR], status: "412", detail: expect.any(String) },
      },
      {
        method: "DELETE",
        status: "404",
        location: location("/Groups/g987654321"),
        response: { schemas: [ERROR], status: "404", detail: expect.any(String) },
      },
    ]);
    expect((await scim.expect(`GET /Users/${id}`)).body).toMatchObject({ userName, title: "T" });
    expect(await scim.outcome(`GET /Users/${gone}`)).toBe("404");
  });

  describe("A bulkId", () => {
    test("stands for a resource that was created before, also in a path", async () => {
      const operations = await send([
        postUser("boss"),
        postUser("employee", managedBy("bulkId:boss")),
        post("/Groups", "team", { displayName: newName(), members: [{ value: "bulkId:boss" }] }),
        {
          method: "PATCH",
          path: "/Groups/bulkId:team",
          data: patchOf({ op: "add", path: "members", value: ["bulkId:employee"] }),
        },
      ]);
      expect(statuses(operations)).toEqual(["201", "201", "201", "204"]);
      const [boss, employee, team] = operations.map(idOf);
      expect(await managerOf(employee ?? "")).toBe(boss ?? "");
      expect(await membersOf(team ?? "")).toEqual([boss ?? "", employee ?? ""]);
    });

    test("stands for a resource that a later operation creates", async () => {
      const operations = await send([
        post("/Groups", "team", {
          displayName: newName(),
          members: [{ value: "bulkId:a" }, { value: "bulkId:b" }],
        }),
        postUser("a", managedBy("bulkId:b")),
        postUser("b"),
      ]);
      expect(operations.map(({ bulkId, status }) => [bulkId, status])).toEqual([
        ["team", "201"],
        ["a", "201"],
        ["b", "201"],
      ]);
      const [team, a, b] = operations.map(idOf);
      expect(await membersOf(team ?? "")).toEqual([a ?? "", b ?? ""].sort());
      expect(await managerOf(a ?? "")).toBe(b ?? "");
    });

    test("can be part of a circle, and of the resource itself", async () => {
      const operations = await send([
        postUser("a", { ...managedBy("bulkId:b"), title: "A" }),
        postUser("b", managedBy("bulkId:c")),
        postUser("c", { [ENTERPRISE]: { manager: { value: "bulkId:a" }, department: "C" } }),
        postUser("own", managedBy("bulkId:own")),
      ]);
      expect(statuses(operations)).toEqual(["201", "201", "201", "201"]);
      const [a = "", b = "", c = "", own = ""] = operations.map(idOf);
      expect(await Promise.all([a, b, c, own].map(managerOf))).toEqual([b, c, a, own]);
      const { body, headers } = await scim.expect(`GET /Users/${c}`);
      expect(body[ENTERPRISE]).toEqual({ manager: expect.objectContaining({ value: a }), department: "C" });
      expect(operations[2]?.version).toBe(headers.get("etag") ?? "no ETag");
    });

    test("that is unknown, that failed, or that two operations have, is an error of its operation", async () => {
      const taken = newName();
      await scim.create("/Users", { userName: taken });
      const operations = await send([
        postUser("a", managedBy("bulkId:nobody")),
        postUser("b", managedBy("bulkId:failed")),
        post("/Users", "failed", { userName: taken }),
        postUser("twice"),
        postUser("twice"),
        { method: "DELETE", path: "/Users/bulkId:failed" },
        postUser("c"),
      ]);
      expect(statuses(operations)).toEqual(["400", "400", "409", "201", "400", "400", "201"]);
      expect(operations[0]?.response).toMatchObject({
        scimType: "invalidValue",
        detail: expect.stringContaining("bulkId:nobody"),
      });
    });

    test("of a resource in a circle that fails is an error of the other one", async () => {
      const operations = await send([
        postUser("a", managedBy("bulkId:b")),
        postUser("b", { userName: "", ...managedBy("bulkId:a") }),
      ]);
      expect(statuses(operations)).toEqual(["400", "400"]);
      const later = await send([
        postUser("a", { userName: "", ...managedBy("bulkId:b") }),
        postUser("b", managedBy("bulkId:a")),
      ]);
      expect(later.map(({ status, location }) => [status, location !== undefined])).toEqual([
        ["400", false],
        // It exists, without its manager.
        ["400", true],
      ]);
    });
  });

  describe("failOnErrors", () => {
    test("ends the request after so many errors", async () => {
      const bad = post("/Users", "bad", {});
      const operations = [postUser("a"), bad, postUser("b"), { ...bad, bulkId: "worse" }, postUser("c")];
      expect(statuses(await send(operations, { failOnErrors: 1 }))).toEqual(["201", "400"]);
      const again = operations.map((operation) =>
        "userName" in Object(operation.data) ? postUser(operation.bulkId) : operation,
      );
      expect(statuses(await send(again, { failOnErrors: 2 }))).toEqual(["201", "400", "201", "400"]);
    });

    test.each([0, -1, 1.5, "1", true])("of %p is refused", async (failOnErrors) => {
      expect(await scim.outcome("POST /Bulk", { failOnErrors, Operations: [] })).toBe("400 invalidValue");
    });
  });

  test("operations that are not valid are errors of their own", async () => {
    const operations = [
      {},
      { method: "GET", path: "/Users/1" },
      { method: 7, path: "/Users" },
      { method: "POST", path: "/Users/1", data: {} },
      { method: "POST", path: "/Nothing", data: {} },
      { method: "POST", path: "/Users/../../api/keys", data: {} },
      { method: "POST", path: `${service.url}/scim/v2/Users`, data: {} },
      { method: "PUT", path: "/Users", data: {} },
      { method: "DELETE", path: "/Users/g1" },
      { method: "DELETE", path: "/Users/0" },
      { method: "DELETE", path: "/Groups/1" },
      { method: "POST", path: "/Users" },
      { method: "POST", path: "/Users", data: [] },
      { method: "POST", path: "/Users", data: "bulkId:x" },
      { method: "POST", path: "/Users", bulkId: 7, data: { userName: newName() } },
      { method: "PATCH", path: "/Users/987654321", data: patchOf() },
      { method: "PATCH", path: "/Users/987654321", version: 1, data: patchOf() },
    ];
    const outcomes = await send(operations);
    expect(outcomes.map(({ status, response }) => `${status} ${Object(response).scimType}`)).toEqual([
      ...Array(8).fill("400 invalidSyntax"),
      ...Array(3).fill("404 undefined"),
      "400 invalidSyntax",
      "400 invalidSyntax",
      "400 invalidValue",
      "400 invalidSyntax",
      "404 undefined",
      "400 invalidSyntax",
    ]);
  });

  test.each([
    ["a list", [], "400 invalidSyntax"],
    ["no operations", {}, "400 invalidSyntax"],
    ["operations that are no list", { Operations: {} }, "400 invalidSyntax"],
    ["text", "{", "400 invalidSyntax"],
    ["1,001 operations", { Operations: Array(1001).fill({}) }, "413"],
    ["more than 1 MiB", { Operations: [{ data: "x".repeat(1024 ** 2) }] }, "413"],
    ["too many levels", `{"Operations":[${"[".repeat(2000)}${"]".repeat(2000)}]}`, "400 invalidSyntax"],
  ])("a request with %s is refused", async (_, body, outcome) => {
    expect(await scim.outcome("POST /Bulk", body)).toBe(outcome);
  });

  test("1,000 operations are done, in a request of up to 1 MiB", async () => {
    const operations = Array.from({ length: 1000 }, (_, index) =>
      postUser(String(index), { title: "x".repeat(900) }),
    );
    expect(statuses(await send(operations))).toEqual(Array(1000).fill("201"));
  });

  test("a user may not be larger than alone, and a group may", async () => {
    const operations = await send([
      postUser("large", { title: "x".repeat(70_000) }),
      post("/Groups", "larger", {
        displayName: newName(),
        members: [{ value: "1", display: "x".repeat(70_000) }],
      }),
    ]);
    expect(statuses(operations)).toEqual(["413", "201"]);
  });

  test("each operation needs its scopes", async () => {
    const id = await scim.create("/Users", { userName: newName() });
    const groupId = await scim.create("/Groups", { displayName: newName() });
    const operations = () => [
      postUser("a"),
      { method: "DELETE", path: `/Users/${id}`, version: 'W/"99"' },
      post("/Groups", "g", { displayName: newName() }),
      {
        method: "PATCH",
        path: `/Groups/${groupId}`,
        data: patchOf({ op: "add", path: "members", value: [id] }),
      },
    ];
    const as = async (...scopes: readonly Scope[]) =>
      statuses(await send(operations(), {}, await service.connect(...scopes)));
    expect(await as("users:read")).toEqual(["403", "403", "403", "403"]);
    expect(await as("users:write")).toEqual(["403", "403", "403", "403"]);
    expect(await as("users:read", "users:write")).toEqual(["201", "412", "403", "403"]);
    expect(await as("groups:read", "groups:write")).toEqual(["403", "403", "201", "403"]);
    expect(await as("users:read", "groups:read", "groups:write")).toEqual(["403", "403", "201", "204"]);
  });

  test("each operation counts as one request of the rate limit and of the quota", async () => {
    const createLimited = async (limit: object) => {
      const json = { name: "limited", scopes: ["users:read", "users:write"], ...limit };
      const created = await (await service.api("/api/keys", { method: "POST", json })).json();
      return new ScimCaller(service, created.key, created.id);
    };
    const limited = await createLimited({ rateLimit: { requests: 10, seconds: 3600 } });
    const operations = () => [postUser("a"), postUser("b"), postUser("c"), postUser("d")];
    const { headers } = await limited.expect("POST /Bulk", { Operations: operations() });
    expect(headers.get("ratelimit")).toContain("r=6");
    expect((await limited.send("GET /Users/1")).headers.get("ratelimit")).toContain("r=5");

    const counted = await createLimited({ quota: 3 });
    expect(statuses(await send(operations(), {}, counted))).toEqual(["201", "201", "201", "429"]);
    expect(await counted.outcome("GET /Users/1")).toBe("429");
  });

  test("a key that is revoked while a request runs does nothing more", async () => {
    const leaver = await service.connect();
    const title = newName();
    const operations = Array.from({ length: 1000 }, (_, index) => postUser(String(index), { title }));
    const sent = send(operations, {}, leaver);
    const countCreated = async () => {
      const { headers } = await service.api(`/api/users?title=${title}&limit=1&count=true`);
      return Number(headers.get("x-total-count"));
    };
    await until(async () => (await countCreated()) > 0);
    await service.api(`/api/keys/${leaver.keyId}`, { method: "DELETE" });
    const created = await countCreated();
    const outcomes = statuses(await sent);
    const done = outcomes.filter((status) => status === "201").length;
    // One operation may have been under way.
    expect(done - created).toBeLessThanOrEqual(1);
    expect(outcomes.slice(done)).toEqual(Array(1000 - done).fill("401"));
  });
});
