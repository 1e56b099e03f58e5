import { afterAll, beforeAll, describe, expect, setDefaultTimeout, spyOn, test } from "bun:test";
import { loopShare } from "../../../src/domain/scheduling/loop-share.ts";
import { onEachEngine } from "../../support/engines.ts";
import { patchOf, type ScimCaller, type ScimService, startScimService } from "./support/scim-caller.ts";

setDefaultTimeout(120_000);

/** More users than one PATCH may add. */
const USERS = 10_050;

onEachEngine((engine) => {
  let service: ScimService;
  let scim: ScimCaller;
  /** The ids of users, in order. */
  let users: string[] = [];
  beforeAll(async () => {
    service = await startScimService(engine);
    scim = await service.connect();
    const people = Array.from({ length: USERS }, (_, index) => ({ name: `User ${index}` }));
    users = (await service.importUsers(people)).map(String);
  });
  afterAll(() => service.stop());

  let count = 0;
  const newName = () => `Group ${++count}`;
  const toMembers = (ids: readonly string[]) => ids.map((value) => ({ value }));
  const createGroup = (members: readonly string[] = []) =>
    scim.create("/Groups", { displayName: newName(), members: toMembers(members) });
  const readRecord = async (id: string) => await (await service.api(`/api/groups/${id.slice(1)}`)).json();
  const readMembers = async (id: string): Promise<string[]> => {
    const { members } = (await scim.expect(`GET /Groups/${id}`)).body;
    return (Array.isArray(members) ? members : []).map((member) => Object(member).value);
  };
  /** The type of each event of the group, and how many members it adds and removes. */
  const readEvents = async (id: string) => {
    const events = await (await service.api(`/api/events?subject=group:${id.slice(1)}&limit=100`)).json();
    return events.map(
      (event: { type: string; version: number; changes?: { members?: Record<string, number[]> } }) => {
        const { added = [], removed = [] } = event.changes?.members ?? {};
        return [event.version, event.type.replace("group.", ""), added.length, removed.length];
      },
    );
  };

  describe("POST /Groups", () => {
    test("creates a group with members: 201 with Location, ETag and the group", async () => {
      const displayName = newName();
      const [a = "", b = ""] = users;
      const { status, headers, body } = await scim.send("POST /Groups", {
        displayName,
        members: [{ value: b }, a],
      });
      const location = `${service.url}/scim/v2/Groups/${body.id}`;
      expect([status, headers.get("location"), headers.get("etag")]).toEqual([201, location, 'W/"2"']);
      expect(body).toEqual({
        schemas: ["urn:ietf:params:scim:schemas:core:2.0:Group"],
        id: expect.stringMatching(/^g\d+$/),
        displayName,
        members: [a, b].map((value) => ({
          value,
          $ref: `${service.url}/scim/v2/Users/${value}`,
          type: "User",
        })),
        meta: expect.objectContaining({ resourceType: "Group", location, version: 'W/"2"' }),
      });
      expect((await scim.expect(`GET /groups/${body.id}`)).body).toEqual(body);
    });

    test("shows that a group has no members", async () => {
      const { body } = await scim.expect("POST /Groups", { displayName: newName() });
      expect(body.members).toEqual([]);
    });

    test("never changes a group that exists", async () => {
      const displayName = newName();
      await scim.create("/Groups", { displayName });
      const other = { displayName: displayName.toUpperCase(), members: toMembers(users.slice(0, 1)) };
      expect(await scim.outcome("POST /Groups", other)).toBe("409 uniqueness");
    });

    test("adds more than 1,000 members in several versions", async () => {
      const id = await createGroup(users.slice(0, 2500));
      expect(await readRecord(id)).toMatchObject({ memberCount: 2500, version: 4 });
      expect(await readEvents(id)).toEqual([
        [1, "created", 0, 0],
        [2, "members_changed", 1000, 0],
        [3, "members_changed", 1000, 0],
        [4, "members_changed", 500, 0],
      ]);
    });

    test("with an id that no user ever had creates nothing, wherever the id is", async () => {
      const displayName = newName();
      for (const ids of [["987654321"], [...users.slice(0, 2000), "987654321"]]) {
        const body = { displayName, members: toMembers(ids) };
        expect(await scim.outcome("POST /Groups", body)).toBe("400 invalidValue");
      }
      expect(await (await service.api(`/api/groups?name=${displayName}`)).json()).toEqual([]);
    });

    test("skips deleted users", async () => {
      const gone = await scim.create("/Users", { userName: "gone" });
      await scim.expect(`DELETE /Users/${gone}`);
      expect(await readMembers(await createGroup([gone, ...users.slice(0, 1)]))).toEqual(users.slice(0, 1));
    });
  });

  describe("PUT /Groups/{id}", () => {
    test("of what GET returned changes nothing", async () => {
      const id = await createGroup(users.slice(0, 3));
      const before = (await scim.expect(`GET /Groups/${id}`)).body;
      const { status, body } = await scim.send(`PUT /Groups/${id}`, before);
      expect([status, body]).toEqual([200, before]);
    });

    test("replaces the name and all members in one transaction", async () => {
      const id = await createGroup(users.slice(0, 3));
      const displayName = newName();
      const members = toMembers(users.slice(2, 5));
      const { body } = await scim.expect(`PUT /Groups/${id}`, { displayName, members });
      expect(body.displayName).toBe(displayName);
      expect(await readMembers(id)).toEqual(users.slice(2, 5));
      expect((await readEvents(id)).slice(2)).toEqual([
        [3, "updated", 0, 0],
        [4, "members_changed", 2, 2],
      ]);
    });

    test("keeps the members if the body has none, and empties the group if the list is empty", async () => {
      const id = await createGroup(users.slice(0, 2));
      const displayName = newName();
      await scim.expect(`PUT /Groups/${id}`, { displayName });
      expect(await readMembers(id)).toEqual(users.slice(0, 2));
      await scim.expect(`PUT /Groups/${id}`, { displayName, members: [] });
      expect(await readMembers(id)).toEqual([]);
    });

    test("replaces more than 1,000 members in several versions", async () => {
      const id = await createGroup(users.slice(0, 1500));
      await scim.expect(`PUT /Groups/${id}`, {
        displayName: newName(),
        members: toMembers(users.slice(1000, 3000)),
      });
      expect((await readRecord(id)).memberCount).toBe(2000);
      const changes = (await readEvents(id))
        .slice(4)
        .map(([, , added, removed]: number[]) => [added, removed]);
      expect(changes.every(([added, removed]: number[]) => (added ?? 0) + (removed ?? 0) <= 1000)).toBe(true);
      expect(await readMembers(id)).toEqual(users.slice(1000, 3000));
    });

    test("with an id that no user ever had changes nothing", async () => {
      const id = await createGroup(users.slice(0, 2));
      const body = { displayName: newName(), members: toMembers([...users.slice(0, 1500), "987654321"]) };
      expect(await scim.outcome(`PUT /Groups/${id}`, body)).toBe("400 invalidValue");
      expect(await readRecord(id)).toMatchObject({ version: 2, memberCount: 2 });
    });

    test("applies only to the version that If-Match names", async () => {
      const id = await createGroup(users.slice(0, 2));
      const body = { displayName: newName(), members: [] };
      expect(await scim.outcome(`PUT /Groups/${id}`, body, { "if-match": 'W/"1"' })).toBe("412");
      expect(await scim.outcome(`PUT /Groups/${id}`, body, { "if-match": 'W/"2"' })).toBe("200");
    });
  });

  describe("PATCH /Groups/{id}", () => {
    const add = (ids: readonly string[]) => ({ op: "add", path: "members", value: toMembers(ids) });

    test("responds 204 with the ETag, or with the group if the caller asks for attributes", async () => {
      const id = await createGroup();
      const path = `PATCH /Groups/${id}`;
      const { status, headers, body } = await scim.send(path, patchOf(add(users.slice(0, 1))));
      expect([status, headers.get("etag"), body]).toEqual([204, 'W/"2"', {}]);
      expect(await scim.outcome(`${path}?excludedAttributes=members`, patchOf())).toBe("204");
      const shown = await scim.expect(`${path}?attributes=members.value`, patchOf(add(users.slice(1, 2))));
      expect(shown.body).toEqual({
        schemas: ["urn:ietf:params:scim:schemas:core:2.0:Group"],
        id,
        members: toMembers(users.slice(0, 2)),
      });
    });

    test("adds, removes and replaces members, all or none", async () => {
      const [a = "", b = "", c = ""] = users;
      const id = await createGroup([a]);
      const path = `PATCH /Groups/${id}`;
      await scim.expect(path, patchOf(add([b]), { op: "remove", path: `members[value eq "${a}"]` }));
      expect(await readMembers(id)).toEqual([b]);
      await scim.expect(path, patchOf({ op: "replace", path: "members", value: toMembers([a, c]) }));
      expect(await readMembers(id)).toEqual([a, c]);
      await scim.expect(path, patchOf({ op: "remove", path: "members", value: toMembers([a]) }));
      expect(await readMembers(id)).toEqual([c]);
      expect(await scim.outcome(path, patchOf(add([b]), add(["987654321"])))).toBe("400 invalidValue");
      expect(
        await scim.outcome(path, patchOf(add([b]), { op: "replace", path: "displayName", value: "" })),
      ).toBe("400 invalidValue");
      expect(await readMembers(id)).toEqual([c]);
      await scim.expect(path, patchOf({ op: "remove", path: "members" }));
      expect(await readMembers(id)).toEqual([]);
    });

    test("that changes nothing keeps the version", async () => {
      const id = await createGroup(users.slice(0, 2));
      for (const body of [
        patchOf(),
        patchOf(add(users.slice(0, 2))),
        patchOf({ op: "remove", path: 'members[value eq "987654321"]' }),
      ])
        expect((await scim.send(`PATCH /Groups/${id}`, body)).headers.get("etag")).toBe('W/"2"');
      expect(await readEvents(id)).toHaveLength(2);
    });

    test("adds 10,000 members in one transaction, and no more", async () => {
      const id = await createGroup();
      const path = `PATCH /Groups/${id}`;
      expect(await scim.outcome(path, patchOf(add(users.slice(0, 10_001))))).toBe("413");
      expect(
        await scim.outcome(path, patchOf(add(users.slice(0, 6000)), add(users.slice(6000, 10_001)))),
      ).toBe("413");
      expect((await readRecord(id)).memberCount).toBe(0);
      expect(await scim.outcome(path, patchOf(add(users.slice(0, 10_000))))).toBe("204");
      expect(await readRecord(id)).toMatchObject({ memberCount: 10_000, version: 11 });
      expect((await readEvents(id)).slice(1)).toEqual(
        Array.from({ length: 10 }, (_, index) => [index + 2, "members_changed", 1000, 0]),
      );
      // A patch that would change more is refused, whatever it sends. A group of any size can be emptied.
      await scim.expect(path, patchOf(add(users.slice(10_000))));
      const replaceBy = (ids: readonly string[]) =>
        patchOf({ op: "replace", path: "members", value: toMembers(ids) });
      expect(await scim.outcome(path, replaceBy(users.slice(0, 1)))).toBe("413");
      expect((await readRecord(id)).memberCount).toBe(USERS);
      expect(await scim.outcome(path, replaceBy(users.slice(0, 100)))).toBe("204");
      expect((await readRecord(id)).memberCount).toBe(100);
      await scim.expect(`PUT /Groups/${id}`, { displayName: newName(), members: toMembers(users) });
      expect(await scim.outcome(path, patchOf({ op: "remove", path: "members" }))).toBe("204");
      expect((await readRecord(id)).memberCount).toBe(0);
    });
  });

  test("DELETE removes the group", async () => {
    const id = await createGroup(users.slice(0, 2));
    expect(await scim.outcome(`DELETE /Groups/${id}`, undefined, { "if-match": 'W/"1"' })).toBe("412");
    expect(await scim.outcome(`DELETE /Groups/${id}`)).toBe("204");
    for (const request of [`GET /Groups/${id}`, `DELETE /Groups/${id}`])
      expect(await scim.outcome(request)).toBe("404");
  });

  test("a body of a group can have 8 MiB, and is parsed in steps", async () => {
    const id = await createGroup();
    const member = (value: string) => `{"value":"${value}","display":"${"x".repeat(650)}"}`;
    const body = (ids: readonly string[]) =>
      `{"displayName":"${newName()}","members":[${ids.map(member).join()}]}`;
    const fits = body(users);
    expect(fits.length).toBeGreaterThan(6 * 1024 ** 2);
    const nextTurn = spyOn(loopShare, "nextTurn");
    expect(await scim.outcome(`PUT /Groups/${id}`, fits)).toBe("200");
    expect(nextTurn.mock.calls.length).toBeGreaterThan(5);
    nextTurn.mockRestore();
    expect((await readRecord(id)).memberCount).toBe(USERS);
    expect(await scim.outcome(`PUT /Groups/${id}`, `${fits}${" ".repeat(8 * 1024 ** 2)}`)).toBe("413");
    // Only the members may be so many.
    const long = { displayName: newName(), externalId: "x".repeat(100_000) };
    expect(await scim.outcome(`PUT /Groups/${id}`, long)).toBe("413");
  });

  test("without users:read, groups have no members, and nobody can write them", async () => {
    const id = await createGroup(users.slice(0, 2));
    const writer = await service.connect("groups:read", "groups:write");
    expect((await writer.expect(`GET /Groups/${id}`)).body.members).toBeUndefined();
    const displayName = newName();
    const members = toMembers(users.slice(0, 1));
    expect(await writer.outcome("POST /Groups", { displayName, members })).toBe("403");
    expect(await writer.outcome(`PUT /Groups/${id}`, { displayName, members })).toBe("403");
    expect(await writer.outcome(`PUT /Groups/${id}`, { displayName, members: [] })).toBe("403");
    for (const operation of [
      { op: "add", path: "members", value: members },
      { op: "remove", path: "members" },
      { op: "add", value: { displayName, members } },
    ])
      expect(await writer.outcome(`PATCH /Groups/${id}`, patchOf(operation))).toBe("403");
    expect(await readRecord(id)).toMatchObject({ version: 2, memberCount: 2 });
    // The rest of a group is no secret.
    const { body } = await writer.expect(`PUT /Groups/${id}`, { displayName });
    expect([body.displayName, body.members]).toEqual([displayName, undefined]);
    expect(await writer.outcome("POST /Groups", { displayName: newName(), members: [] })).toBe("201");
    const rename = patchOf({ op: "replace", path: "displayName", value: newName() });
    expect(await writer.outcome(`PATCH /Groups/${id}`, rename)).toBe("204");
    expect(await readMembers(id)).toEqual(users.slice(0, 2));
  });
});
