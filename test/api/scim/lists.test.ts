import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { onEachEngine } from "../../support/engines.ts";
import { type ScimCaller, type ScimService, startScimService } from "./support/scim-caller.ts";

setDefaultTimeout(120_000);

const USERS = 230;
const GROUPS = 3;
const LIST = "urn:ietf:params:scim:api:messages:2.0:ListResponse";
const SEARCH = "urn:ietf:params:scim:api:messages:2.0:SearchRequest";

onEachEngine((engine) => {
  let service: ScimService;
  let scim: ScimCaller;
  beforeAll(async () => {
    service = await startScimService(engine);
    scim = await service.connect();
    const users = Array.from({ length: USERS }, (_, index) => ({
      name: `User ${String(index).padStart(3, "0")}`,
      email: `user${index}@example.com`,
      department: index % 2 === 0 ? "Even" : "Odd",
      ...(index < 5 && { title: `Title ${5 - index}` }),
      ...(index === 7 && { userName: "Seven" }),
    }));
    await service.importUsers(users);
    for (let index = 1; index <= GROUPS; index++) {
      const members = Array.from({ length: index }, (_, member) => ({ value: String(member + 1) }));
      await scim.create("/Groups", { displayName: `Group ${index}`, members });
    }
  });
  afterAll(() => service.stop());

  const list = async (path: string) => (await scim.expect(`GET ${path}`)).body;
  const search = async (path: string, json: object) => (await scim.expect(`POST ${path}`, json)).body;
  const idsOf = ({ Resources }: { Resources?: unknown }): string[] =>
    (Array.isArray(Resources) ? Resources : []).map(({ id }) => id);
  const idsFrom = (first: number, count: number) =>
    Array.from({ length: count }, (_, index) => String(first + index));
  const filtered = (filter: string, more = "") => list(`/Users?filter=${encodeURIComponent(filter)}${more}`);

  describe("GET /Users", () => {
    test("lists the first 100 users in order of id, with the number of all", async () => {
      const body = await list("/Users");
      expect(body).toMatchObject({ schemas: [LIST], totalResults: USERS, startIndex: 1, itemsPerPage: 100 });
      expect(idsOf(body)).toEqual(idsFrom(1, 100));
    });

    test.each([
      ["count=0", 0, 1],
      ["count=-5", 0, 1],
      ["count=1", 1, 1],
      ["count=%201%20", 1, 1],
      ["count=100", 100, 1],
      ["count=1000", USERS, 1],
      ["count=1001", USERS, 1],
      ["count=999999999999999", USERS, 1],
      ["startIndex=0", 100, 1],
      ["startIndex=-7", 100, 1],
      ["startIndex=2&count=3", 3, 2],
      ["startIndex=201", 30, 201],
      [`startIndex=${USERS}`, 1, USERS],
      [`startIndex=${USERS + 1}`, 0, USERS + 1],
      ["startIndex=1000000000", 0, 1_000_000_000],
      ["startIndex=5&count=0", 0, 5],
      ["unknown=1&startindexx=7&count=2", 2, 1],
      ["&&count=2&", 2, 1],
    ])("%s gives %d users from %d", async (query, size, startIndex) => {
      const body = await list(`/Users?${query}`);
      expect(body).toMatchObject({ totalResults: USERS, startIndex, itemsPerPage: size });
      expect(idsOf(body)).toEqual(idsFrom(startIndex, size));
    });

    test("a filter gives the users that match, and their number", async () => {
      const body = await filtered('department eq "Even"', "&count=3");
      expect([body.totalResults, idsOf(body)]).toEqual([USERS / 2, ["1", "3", "5"]]);
      const last = await filtered('department eq "Even"', "&count=3&startIndex=115");
      expect([last.totalResults, idsOf(last)]).toEqual([USERS / 2, ["229"]]);
      const beyond = await filtered('department eq "Even"', "&startIndex=116");
      expect([beyond.totalResults, idsOf(beyond)]).toEqual([USERS / 2, []]);
      const counted = await filtered('department eq "Even"', "&count=0");
      expect([counted.totalResults, counted.itemsPerPage]).toEqual([USERS / 2, 0]);
      const none = await filtered('department eq "None"');
      expect(none).toEqual({
        schemas: [LIST],
        Resources: [],
        itemsPerPage: 0,
        startIndex: 1,
        totalResults: 0,
      });
    });

    test("a user name finds the user whose user name it is", async () => {
      const find = async (filter: string, more = "") => {
        const body = await filtered(filter, more);
        return [body.totalResults, ...idsOf(body)];
      };
      expect(await find('userName eq "USER5@example.com"')).toEqual([1, "6"]);
      expect(await find('userName eq "seven"')).toEqual([1, "8"]);
      // It is the email of a user with another user name.
      expect(await find('userName eq "user7@example.com"')).toEqual([0]);
      expect(await find('userName eq "nobody"')).toEqual([0]);
      expect(await find('userName eq "seven"', "&startIndex=2")).toEqual([1]);
      expect(await find('userName eq "seven"', "&count=0")).toEqual([1]);
      expect(await find('userName eq "seven"', "&cursor")).toEqual([1, "8"]);
      expect(await find('userName eq "seven"', "&attributes=groups,userName")).toEqual([1, "8"]);
      expect((await filtered('userName eq "seven"', "&attributes=userName")).Resources).toEqual([
        { schemas: expect.any(Array), id: "8", userName: "Seven" },
      ]);
    });

    test.each([
      ["sortBy=title", ["5", "4", "3", "2", "1", "6"]],
      ["sortBy=title&sortOrder=ascending", ["5", "4", "3", "2", "1", "6"]],
      ["sortBy=title&sortOrder=Descending", ["1", "2", "3", "4", "5", "230"]],
      ["sortBy=displayName&sortOrder=descending", idsFrom(225, 6).reverse()],
      ["sortBy=id&sortOrder=descending", idsFrom(225, 6).reverse()],
      // Without `sortBy`, `sortOrder` says nothing.
      ["sortOrder=descending", idsFrom(1, 6)],
      ["SORTBY=title", idsFrom(1, 6)],
    ])("%s orders users, those without a value last", async (query, ids) => {
      expect(idsOf(await list(`/Users?count=6&${query}`))).toEqual(ids);
    });

    test("attributes and excludedAttributes choose what is shown", async () => {
      const [first] = Object((await list("/Users?count=1")).Resources);
      const shown = async (query: string) =>
        Object.keys(Object((await list(`/Users?count=1&${query}`)).Resources)[0]);
      const { schemas: _s, id: _i, ...others } = first;
      expect(await shown("attributes=userName")).toEqual(["schemas", "id", "userName"]);
      expect(await shown("attributes=userName&excludedAttributes=userName")).toEqual([
        "schemas",
        "id",
        "userName",
      ]);
      expect(await shown(`excludedAttributes=${Object.keys(others).join()}`)).toEqual(["schemas", "id"]);
      expect(await shown("attributes=")).toEqual(Object.keys(first));
      expect((await shown("excludedAttributes=emails.type,id,schemas")).sort()).toEqual(
        Object.keys(first).sort(),
      );
    });

    test("groups come on request, as far as there are any", async () => {
      const { Resources } = await list("/Users?count=4&attributes=groups,active");
      const group = (id: number) => ({
        value: `g${id}`,
        $ref: `${service.url}/scim/v2/Groups/g${id}`,
        display: `Group ${id}`,
        type: "direct",
      });
      const schemas = expect.any(Array);
      expect(Resources).toEqual([
        { schemas, id: "1", active: true, groups: [1, 2, 3].map(group) },
        { schemas, id: "2", active: true, groups: [2, 3].map(group) },
        { schemas, id: "3", active: true, groups: [3].map(group) },
        { schemas, id: "4", active: true },
      ]);
      const displays = await list("/Users?count=1&attributes=groups.display");
      expect(Object(displays.Resources)[0].groups).toEqual(
        [1, 2, 3].map((id) => ({ display: `Group ${id}` })),
      );
    });

    test("HEAD has the headers of GET", async () => {
      const [get, head] = [await scim.send("GET /Users?count=1"), await scim.send("HEAD /Users?count=1")];
      expect([head.status, head.body]).toEqual([200, {}]);
      expect(head.headers.get("content-type")).toBe(get.headers.get("content-type"));
      expect(Number(head.headers.get("content-length"))).toBe(JSON.stringify(get.body).length);
    });

    test("a caller that accepts only JSON gets JSON", async () => {
      const { headers } = await scim.send("GET /Users?count=1", undefined, { accept: "application/json" });
      expect(headers.get("content-type")).toStartWith("application/json");
      const other = await scim.send("GET /Users?count=1");
      expect(other.headers.get("content-type")).toStartWith("application/scim+json");
    });
  });

  describe("GET /Groups", () => {
    test("lists groups with their members", async () => {
      const body = await list("/Groups");
      expect(body).toMatchObject({ totalResults: GROUPS, startIndex: 1, itemsPerPage: GROUPS });
      const members = Object(body.Resources).map((group: { members: { value: string }[] }) =>
        group.members.map(({ value }) => value),
      );
      expect([idsOf(body), members]).toEqual([
        ["g1", "g2", "g3"],
        [["1"], ["1", "2"], ["1", "2", "3"]],
      ]);
    });

    test("filters, sorts and pages", async () => {
      expect(idsOf(await list("/Groups?sortBy=displayName&sortOrder=descending&count=2"))).toEqual([
        "g3",
        "g2",
      ]);
      expect(idsOf(await list("/Groups?startIndex=3"))).toEqual(["g3"]);
      const filter = encodeURIComponent('displayName eq "group 2"');
      expect(await list(`/Groups?filter=${filter}`)).toMatchObject({
        totalResults: 1,
        Resources: [{ id: "g2" }],
      });
      const ofUser = encodeURIComponent('members eq "2"');
      expect(idsOf(await list(`/Groups?filter=${ofUser}`))).toEqual(["g2", "g3"]);
    });
  });

  describe("POST .search", () => {
    test("answers as GET does", async () => {
      const body = {
        schemas: [SEARCH],
        filter: 'department eq "Odd"',
        startIndex: 3,
        count: 4,
        sortBy: "displayName",
      };
      const query = new URLSearchParams({
        filter: body.filter,
        startIndex: "3",
        count: "4",
        sortBy: "displayName",
      });
      expect(await search("/Users/.search", body)).toEqual(await list(`/Users?${query}`));
      expect(await search("/Groups/.search", { count: 2 })).toEqual(await list("/Groups?count=2"));
      expect(await search("/Users/.search", {})).toEqual(await list("/Users"));
    });

    test("takes names in any case, lists of names, numbers as text and null", async () => {
      const { Resources } = await search("/Users/.search", {
        ...{ STARTINDEX: "2", Count: "1", Attributes: ["userName", "active"], filter: null, cursor: null },
        ...{ schemas: ["urn:unknown"], unknown: { a: 1 } },
      });
      expect(Resources).toEqual([
        { schemas: expect.any(Array), id: "2", userName: "user1@example.com", active: true },
      ]);
      const excluded = await search("/Users/.search", { count: 1, excludedAttributes: "emails,meta" });
      expect(Object.keys(Object(excluded.Resources)[0])).not.toContain("emails");
    });

    test("at the root lists users, then groups", async () => {
      const page = await search("/.search", { startIndex: USERS - 1, attributes: ["displayName"] });
      expect(page).toMatchObject({ totalResults: USERS + GROUPS, startIndex: USERS - 1, itemsPerPage: 5 });
      expect(idsOf(page)).toEqual(["229", "230", "g1", "g2", "g3"]);
      expect(idsOf(await search("/.search", { startIndex: USERS + 2, count: 1 }))).toEqual(["g2"]);
      const end = await search("/.search", { startIndex: USERS, count: 1 });
      expect([idsOf(end), end.totalResults]).toEqual([["230"], USERS + GROUPS]);
      expect(idsOf(await search("/.search", { startIndex: USERS + 1 }))).toEqual(["g1", "g2", "g3"]);
      const counted = await search("/.search", { count: 0 });
      expect([counted.totalResults, counted.itemsPerPage]).toEqual([USERS + GROUPS, 0]);
      expect(idsOf(await search("/.search", { startIndex: USERS + GROUPS + 1 }))).toEqual([]);
    });

    test("at the root, a filter is about users and groups", async () => {
      const page = await search("/.search", {
        filter: 'displayName sw "User 00" or displayName eq "Group 2"',
      });
      expect([page.totalResults, idsOf(page)]).toEqual([11, [...idsFrom(1, 10), "g2"]]);
      const user = await search("/.search", { filter: 'userName eq "seven"' });
      expect([user.totalResults, idsOf(user)]).toEqual([1, ["8"]]);
    });
  });

  describe("Without a scope", () => {
    test("groups come without members, and users without groups", async () => {
      const groups = await service.connect("groups:read");
      const { body } = await groups.expect("GET /Groups?count=1");
      expect(Object.keys(Object(body.Resources)[0])).not.toContain("members");
      const users = await service.connect("users:read");
      const { body: page } = await users.expect("GET /Users?count=1&attributes=groups,userName");
      expect(Object.keys(Object(page.Resources)[0])).toEqual(["schemas", "id", "userName"]);
    });

    test("no filter tells who is in which group", async () => {
      const groups = await service.connect("groups:read");
      const users = await service.connect("users:read");
      const filter = (text: string) => `filter=${encodeURIComponent(text)}`;
      const requests = [
        groups.outcome(`GET /Groups?${filter('members eq "1"')}`),
        groups.outcome(`GET /Groups?count=0&${filter("members pr")}`),
        users.outcome(`GET /Users?${filter('groups.value eq "g1"')}`),
        users.outcome(`POST /Users/.search`, { filter: "groups pr" }),
        users.outcome(`POST /.search`, {}),
        groups.outcome("GET /Users"),
        users.outcome("GET /Groups"),
      ];
      expect(await Promise.all(requests)).toEqual(Array(7).fill("403"));
    });
  });
});
