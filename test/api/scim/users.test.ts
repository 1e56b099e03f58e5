import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { onEachEngine } from "../../support/engines.ts";
import { patchOf, type ScimCaller, type ScimService, startScimService } from "./support/scim-caller.ts";

setDefaultTimeout(60_000);

const ENTERPRISE = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";

onEachEngine((engine) => {
  let service: ScimService;
  let scim: ScimCaller;
  beforeAll(async () => {
    service = await startScimService(engine);
    scim = await service.connect();
  });
  afterAll(() => service.stop());

  let count = 0;
  /** A user name that no other test has. */
  const newName = () => `user-${++count}@example.com`;
  const createUser = (attributes: object = {}) =>
    scim.create("/Users", { userName: newName(), ...attributes });
  const readRecord = async (id: string) => await (await service.api(`/api/users/${id}`)).json();
  const readEvents = async (id: string) => await (await service.api(`/api/users/${id}/events`)).json();

  describe("POST /Users", () => {
    test("creates a user: 201 with Location, ETag and the user", async () => {
      const userName = newName();
      const { status, headers, body } = await scim.send("POST /Users", {
        userName,
        name: { givenName: "Ada", familyName: "Lovelace" },
        [ENTERPRISE]: { department: "Engines" },
      });
      const location = `${service.url}/scim/v2/Users/${body.id}`;
      expect(status).toBe(201);
      expect([headers.get("location"), headers.get("etag")]).toEqual([location, 'W/"1"']);
      expect(headers.get("content-type")).toBe("application/scim+json");
      expect(body).toMatchObject({
        userName,
        active: true,
        name: { givenName: "Ada", familyName: "Lovelace" },
        [ENTERPRISE]: { department: "Engines" },
        meta: { resourceType: "User", location, version: 'W/"1"' },
      });
      expect((await scim.expect(`GET /Users/${body.id}`)).body).toEqual(body);
      expect(await readRecord(String(body.id))).toMatchObject({
        userName,
        givenName: "Ada",
        department: "Engines",
      });
      expect(await readEvents(String(body.id))).toMatchObject([
        { type: "user.created", actor: { type: "key", id: scim.keyId } },
      ]);
    });

    test("never changes a user that exists, and ignores the Idempotency-Key", async () => {
      const userName = newName();
      const key = { "idempotency-key": "one" };
      const { body } = await scim.expect("POST /Users", { userName }, key);
      for (const name of [userName, userName.toUpperCase()])
        expect(await scim.outcome("POST /Users", { userName: name, title: "New" }, key)).toBe(
          "409 uniqueness",
        );
      expect(await readRecord(String(body.id))).toMatchObject({ version: 1 });
      expect(await scim.outcome("POST /Users", { userName: newName() }, { "idempotency-key": "é" })).toBe(
        "201",
      );
    });

    test("does not take the user name that another user's email is", async () => {
      const email = newName();
      await service.api("/api/users", { method: "POST", json: { name: "Ada", email } });
      expect(await scim.outcome("POST /Users", { userName: email.toUpperCase() })).toBe("409 uniqueness");
    });

    test("creates a user whose mailbox another user has", async () => {
      const value = newName();
      await createUser({ emails: [{ value }] });
      const id = await createUser({ emails: [{ value }] });
      expect((await scim.expect(`GET /Users/${id}`)).body.emails).toEqual([{ value }]);
      expect((await readRecord(id)).email).toBeUndefined();
    });

    test("accepts both media types, and a path in any case", async () => {
      for (const type of ["application/json", "application/scim+json; charset=utf-8", "APPLICATION/JSON"]) {
        const headers = { "content-type": type };
        expect(await scim.outcome("POST /users/", { userName: newName() }, headers)).toBe("201");
      }
    });

    test("responds with the attributes that the caller wants", async () => {
      const { status, headers, body } = await scim.send("POST /Users?attributes=userName&unknown=%FF", {
        userName: newName(),
        title: "Engineer",
      });
      expect([status, headers.get("etag")]).toEqual([201, 'W/"1"']);
      expect(Object.keys(body).sort()).toEqual(["id", "schemas", "userName"]);
    });
  });

  describe("GET /Users/{id}", () => {
    test("gives 304 for the version that the caller has, weak or strong", async () => {
      const id = await createUser();
      for (const tag of ['W/"1"', '"1"', 'W/"7", W/"1"', "*"]) {
        const { status, headers, body } = await scim.send(`GET /Users/${id}`, undefined, {
          "if-none-match": tag,
        });
        expect([status, headers.get("etag"), body]).toEqual([304, 'W/"1"', {}]);
      }
      expect(await scim.outcome(`GET /Users/${id}`, undefined, { "if-none-match": 'W/"2"' })).toBe("200");
      expect(await scim.outcome(`GET /Users/${id}`, undefined, { "if-match": 'W/"1"' })).toBe("200");
      expect(await scim.outcome(`GET /Users/${id}`, undefined, { "if-match": 'W/"2"' })).toBe("412");
    });

    test("answers HEAD without a body", async () => {
      const { status, headers, body } = await scim.send(`HEAD /Users/${await createUser()}`);
      expect([status, headers.get("etag"), body]).toEqual([200, 'W/"1"', {}]);
    });

    test("shows groups on request, to callers that may read groups", async () => {
      const id = await createUser();
      const groupId = await scim.create("/Groups", { displayName: newName(), members: [{ value: id }] });
      const path = `GET /Users/${id}`;
      expect((await scim.expect(path)).body.groups).toBeUndefined();
      const { groups } = (await scim.expect(`${path}?attributes=groups`)).body;
      expect(groups).toEqual([
        {
          value: groupId,
          $ref: `${service.url}/scim/v2/Groups/${groupId}`,
          display: expect.any(String),
          type: "direct",
        },
      ]);
      const reader = await service.connect("users:read");
      expect((await reader.expect(`${path}?attributes=groups`)).body).toEqual({
        schemas: expect.any(Array),
        id,
      });
    });

    test("shows what the API has written", async () => {
      const created = await service.api("/api/users", {
        method: "POST",
        json: { name: "Grace Hopper", plan: "free" },
      });
      const { id } = await created.json();
      expect((await scim.expect(`GET /Users/${id}`)).body).toMatchObject({
        id: String(id),
        userName: `roster-${id}`,
        displayName: "Grace Hopper",
        active: true,
        "urn:ietf:params:scim:schemas:extension:roster:2.0:User": { plan: "free" },
      });
    });
  });

  describe("PUT /Users/{id}", () => {
    test("of what GET returned changes nothing", async () => {
      const id = await createUser({
        title: "T",
        emails: [{ value: newName(), type: "work" }],
        [ENTERPRISE]: { division: "D" },
      });
      const before = (await scim.expect(`GET /Users/${id}`)).body;
      const { status, body } = await scim.send(`PUT /Users/${id}`, before);
      expect([status, body]).toEqual([200, before]);
      expect(await readEvents(id)).toHaveLength(1);
    });

    test("removes what the body omits, and responds with the user", async () => {
      const userName = newName();
      const id = await scim.create("/Users", { userName, title: "T", active: false });
      const { body, headers } = await scim.expect(`PUT /Users/${id}?excludedAttributes=meta`, {
        userName,
        nickName: "N",
      });
      expect(body).toEqual({ schemas: expect.any(Array), id, userName, active: false, nickName: "N" });
      expect(headers.get("etag")).toBe('W/"2"');
    });

    test("of a user that does not exist is 404", async () => {
      expect(await scim.outcome("PUT /Users/987654321", { userName: newName() })).toBe("404");
    });
  });

  describe("PATCH /Users/{id}", () => {
    const rename = (title: string) => patchOf({ op: "replace", path: "title", value: title });

    test("responds with the user", async () => {
      const id = await createUser();
      const { status, headers, body } = await scim.send(`PATCH /Users/${id}`, rename("Engineer"));
      expect([status, headers.get("etag"), body.title]).toEqual([200, 'W/"2"', "Engineer"]);
      const shown = await scim.expect(`PATCH /Users/${id}?attributes=title`, rename("Boss"));
      expect(shown.body).toEqual({ schemas: expect.any(Array), id, title: "Boss" });
    });

    test("that changes nothing keeps the version and the times", async () => {
      const id = await createUser({ title: "Engineer" });
      const before = (await scim.expect(`GET /Users/${id}`)).body;
      for (const body of [rename("Engineer"), patchOf(), patchOf({ op: "remove", path: "nickName" })])
        expect((await scim.expect(`PATCH /Users/${id}`, body)).body).toEqual(before);
      expect(await readEvents(id)).toHaveLength(1);
    });

    test("applies only to the version that If-Match names", async () => {
      const id = await createUser();
      const path = `PATCH /Users/${id}`;
      expect(await scim.outcome(path, rename("A"), { "if-match": 'W/"7"' })).toBe("412");
      expect(await scim.outcome(path, rename("A"), { "if-match": 'W/"1"' })).toBe("200");
      expect(await scim.outcome(path, rename("B"), { "if-match": '"1"' })).toBe("412");
      expect(await scim.outcome(path, rename("B"), { "if-match": "*" })).toBe("200");
      expect(await scim.outcome(path, rename("C"), { "if-none-match": 'W/"3"' })).toBe("412");
      expect((await readRecord(id)).title).toBe("B");
    });

    test("with one operation that fails changes nothing", async () => {
      const id = await createUser({ title: "Before" });
      const body = patchOf(
        { op: "replace", path: "title", value: "After" },
        { op: "replace", path: "userName", value: "" },
      );
      expect(await scim.outcome(`PATCH /Users/${id}`, body)).toBe("400 invalidValue");
      expect(await readRecord(id)).toMatchObject({ title: "Before", version: 1 });
    });
  });

  describe("DELETE /Users/{id}", () => {
    test("hides the user, which the API can restore", async () => {
      const userName = newName();
      const id = await scim.create("/Users", { userName });
      expect(await scim.outcome(`DELETE /Users/${id}`, undefined, { "if-match": 'W/"2"' })).toBe("412");
      expect(await scim.outcome(`DELETE /Users/${id}`)).toBe("204");
      for (const request of [`GET /Users/${id}`, `DELETE /Users/${id}`])
        expect(await scim.outcome(request)).toBe("404");
      expect(await scim.outcome("POST /Users", { userName })).toBe("201");
      const json = { userName: newName() };
      const restored = await service.api(`/api/deleted-users/${id}/restore`, { method: "POST", json });
      expect(restored.status).toBe(200);
      expect(await scim.outcome(`GET /Users/${id}`)).toBe("200");
    });
  });

  test("the schema for custom fields applies", async () => {
    const schema = {
      properties: {
        badge: { type: "string", maxLength: 3, "x-unique": true },
        title: { type: "string", maxLength: 5 },
      },
    };
    expect((await service.api("/api/schema", { method: "PUT", json: schema })).status).toBe(200);
    const custom = "urn:ietf:params:scim:schemas:extension:roster:2.0:User";
    const withBadge = (badge: string) => ({ userName: newName(), [custom]: { badge } });
    expect(await scim.outcome("POST /Users", withBadge("123"))).toBe("201");
    expect(await scim.outcome("POST /Users", withBadge("123"))).toBe("409 uniqueness");
    const { status, body } = await scim.send("POST /Users", withBadge("1234"));
    expect([status, body.scimType, body.detail]).toEqual([
      400,
      "invalidValue",
      expect.stringContaining(`${custom}:badge: `),
    ]);
    expect(await scim.outcome("POST /Users", { userName: newName(), title: "Too long" })).toBe(
      "400 invalidValue",
    );
    await service.api("/api/schema", { method: "PUT", json: {} });
  });

  test("the log tells ids, and no names, filters or values", async () => {
    const quiet = await startScimService(engine, { logLevel: "debug" });
    const caller = await quiet.connect();
    const id = await caller.create("/Users", { userName: "secret-name@example.com", title: "secret title" });
    await caller.send(`GET /users/${id}?attributes=secretAttribute`);
    await caller.send('GET /Users?filter=userName eq "secret-name@example.com"');
    await caller.send("GET /Users/secret-name@example.com");
    await caller.send("GET /secret-name@example.com");
    await caller.send("DELETE /Groups/g77");
    const paths = quiet.log.flatMap((line) => JSON.parse(line).path ?? []);
    expect(paths.filter((path) => path.startsWith("/scim"))).toEqual([
      "/scim/v2/Users",
      `/scim/v2/Users/${id}`,
      "/scim/v2/Users",
      "/scim/v2/Users/{id}",
      "/scim/v2/…",
      "/scim/v2/Groups/g77",
    ]);
    expect(quiet.log.join("")).not.toContain("secret");
    await quiet.stop();
  });
});
