import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Group } from "../../src/contract/groups/group-schemas.ts";
import type { Scope } from "../../src/contract/keys/key.ts";
import type { User } from "../../src/contract/users/user-schemas.ts";
import type { Call } from "../support/call.ts";
import { bearer } from "../support/credentials.ts";
import { onEachEngine } from "../support/engines.ts";
import { describeProblem, type ReadResponse, readResponse } from "../support/responses.ts";
import { startService, type TestService } from "../support/service.ts";
import { KeyAdmin } from "./access/support/key-admin.ts";
import { badIds, badListQueries, ifMatch } from "./support/record-requests.ts";

setDefaultTimeout(60_000);

/** The id of no user and of no group. */
const MISSING_ID = 999_999;

const NO_GROUP = [404, "group-not-found"];
const NO_USER = [404, "user-not-found"];
const NO_MEMBER = [404, "member-not-found"];

const ids = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

/** Bodies of a change of members that are refused, with the pointers of the errors. The users 1 to 3 exist. */
const badPatches: readonly (readonly [name: string, body: string, ...pointers: string[]])[] = [
  ["an array for a body", "[1]", ""],
  ["null for a body", "null", ""],
  ["a text for a body", '"add"', ""],
  ["a number for a body", "1", ""],
  ["true for a body", "true", ""],
  ["a body nested 2,000 levels deep", `${"[".repeat(2000)}${"]".repeat(2000)}`, ""],
  ["an unknown member", '{"users":[1]}', "/users"],
  ["two unknown members", '{"set":[1],"members":[2]}', "/set", "/members"],
  ["an unknown member beside a valid list", '{"add":[1],"Add":[2]}', "/Add"],
  ["an unknown member with a slash in its name", '{"add":[1],"a/b~c":1}', "/a~1b~0c"],
  ["a member named __proto__", '{"__proto__":{"add":[1]}}', "/__proto__"],
  ["null for add", '{"add":null}', "/add"],
  ["a number for add", '{"add":1}', "/add"],
  ["a text for add", '{"add":"1"}', "/add"],
  ["an object for add", '{"add":{"0":1}}', "/add"],
  ["true for add", '{"add":true}', "/add"],
  ["null for remove", '{"remove":null}', "/remove"],
  ["a number for remove", '{"remove":1}', "/remove"],
  ["an object for remove", '{"remove":{}}', "/remove"],
  ["no array at all", '{"add":1,"remove":"2"}', "/add", "/remove"],
  ["a text in add", '{"add":[1,"2"]}', "/add/1"],
  ["null in add", '{"add":[null]}', "/add/0"],
  ["0 in add", '{"add":[1,2,0]}', "/add/2"],
  ["a negative number in add", '{"add":[-1]}', "/add/0"],
  ["a fraction in add", '{"add":[1.5]}', "/add/0"],
  ["2^53 in add", '{"add":[9007199254740992]}', "/add/0"],
  ["1e400 in add", '{"add":[1e400]}', "/add/0"],
  ["true in add", '{"add":[true]}', "/add/0"],
  ["an object in add", '{"add":[1,2,3,{"id":1}]}', "/add/3"],
  ["an array in add", '{"add":[[1]]}', "/add/0"],
  ["a text in remove", '{"remove":["1"]}', "/remove/0"],
  ["null in remove", '{"remove":[1,null]}', "/remove/1"],
  ["0 in remove", '{"remove":[0]}', "/remove/0"],
  ["a fraction in remove", '{"remove":[0.5]}', "/remove/0"],
  ["2^53 in remove", '{"remove":[9007199254740992]}', "/remove/0"],
  ["an id in both lists", '{"add":[1,2],"remove":[3,2]}', "/remove/1"],
  ["two ids in both lists", '{"add":[1,2],"remove":[2,1]}', "/remove/0", "/remove/1"],
  ["an id in both lists after no id", '{"add":[1],"remove":["x",1]}', "/remove/0", "/remove/1"],
  ["1,001 ids in add", JSON.stringify({ add: ids(1001) }), "/add"],
  ["1,001 ids in remove", JSON.stringify({ remove: ids(1001) }), "/remove"],
  ["1,001 ids in both", JSON.stringify({ add: [1], remove: ids(1002).slice(2) }), "/remove"],
  ["the same id 1,001 times", JSON.stringify({ add: Array(1001).fill(1) }), "/add"],
  ["an unknown user", `{"add":[1,2,3,${MISSING_ID}]}`, "/add/3"],
  ["an unknown user after the same id twice", `{"add":[1,1,${MISSING_ID}]}`, "/add/2"],
  ["two unknown users", `{"add":[${MISSING_ID},1,${MISSING_ID + 1}]}`, "/add/0", "/add/2"],
  ["the largest id, which no user has", '{"add":[9007199254740991]}', "/add/0"],
  ["a text and a number for a list", '{"add":["x"],"remove":1}', "/remove", "/add/0"],
];

onEachEngine((engine) => {
  let service: TestService;
  let call: Call;
  let grown = 0;
  beforeAll(async () => {
    service = await startService({}, engine);
    call = service.call;
    for (const name of ["Ada", "Grace", "Edsger"]) await createUser({ name });
  });
  afterAll(() => service.stop());

  const send = (method: string, path: string, json?: unknown, headers: Record<string, string> = {}) =>
    readResponse(call(path, { method, json, headers }));
  const get = (path: string) => send("GET", path);
  const parse = ({ status, text }: ReadResponse) => {
    if (status >= 300) throw new Error(text);
    return JSON.parse(text);
  };
  const createUser = async (fields: object): Promise<User> => parse(await send("POST", "/api/users", fields));
  const createUsers = async (count: number, fields: object = {}): Promise<number[]> => {
    const users: number[] = [];
    for (let index = 0; index < count; index++)
      users.push((await createUser({ name: `Member ${index}`, n: index, ...fields })).id);
    return users;
  };
  const createGroup = async (members: readonly number[] = []): Promise<number> => {
    const { id } = parse(await send("POST", "/api/groups", { name: `Group ${++grown}` }));
    if (members.length > 0) await patch(id, { add: members });
    return id;
  };
  const readGroup = async (id: number): Promise<Group> => parse(await get(`/api/groups/${id}`));
  const membersPath = (id: number) => `/api/groups/${id}/members`;
  const patch = async (id: number, json: object) => parse(await send("PATCH", membersPath(id), json));
  const idsAt = async (path: string): Promise<number[]> =>
    parse(await get(path)).map((record: { id: number }) => record.id);
  const memberIds = (id: number, query = "") => idsAt(`${membersPath(id)}?limit=1000&${query}`);
  const groupIds = (userId: number, query = "") => idsAt(`/api/users/${userId}/groups?limit=1000&${query}`);
  const eventsOf = async (id: number) =>
    parse(await get(`/api/events?subject=group:${id}&type=group.members_changed&limit=100`));
  const lastEventOf = async (id: number) => (await eventsOf(id)).at(-1);
  const restore = async (id: number) => parse(await send("POST", `/api/deleted-users/${id}/restore`));

  /** The ids on all pages, and the links between them. */
  const followPages = async (path: string) => {
    const found: number[] = [];
    const links: string[] = [];
    let next: string | undefined = path;
    while (next !== undefined) {
      const { text, headers } = await get(next);
      found.push(...JSON.parse(text).map(({ id }: { id: number }) => id));
      const link: string = headers.get("link") ?? "";
      links.push(link);
      next = /<([^>]+)>; rel="next"/.exec(link)?.[1];
    }
    return { found, links };
  };

  describe("PATCH /api/groups/{id}/members", () => {
    test("200: counts the real changes, and has the ETag of the group", async () => {
      const [first = 0, second = 0, third = 0] = await createUsers(3);
      const id = await createGroup();
      const added = await send("PATCH", membersPath(id), { add: [first, second] });
      expect([added.status, added.text, added.headers.get("etag")]).toEqual([
        200,
        '{"added":2,"removed":0}',
        '"2"',
      ]);
      const both = await send("PATCH", membersPath(id), { add: [second, third], remove: [first] });
      expect([both.text, both.headers.get("etag")]).toEqual(['{"added":1,"removed":1}', '"3"']);
      expect(await memberIds(id)).toEqual([second, third]);
      expect(await readGroup(id)).toMatchObject({ memberCount: 2, version: 3 });
    });

    test("200: updatedAt of the group changes with its members, and those of the users do not", async () => {
      const user = await createUser({ name: "Unchanged" });
      const id = await createGroup();
      const before = await readGroup(id);
      await patch(id, { add: [user.id] });
      const after = await readGroup(id);
      expect(after.updatedAt > before.updatedAt).toBe(true);
      expect(after.createdAt).toBe(before.createdAt);
      expect(parse(await get(`/api/users/${user.id}`))).toEqual(user);
    });

    test("200: a change without effect keeps the version, and has no event", async () => {
      const [member = 0, other = 0] = await createUsers(2);
      const id = await createGroup([member]);
      const before = await readGroup(id);
      for (const body of [
        {},
        { add: [] },
        { add: [], remove: [] },
        { add: [member] },
        { remove: [other] },
        { add: [member, member], remove: [other, MISSING_ID, Number.MAX_SAFE_INTEGER] },
      ]) {
        const response = await send("PATCH", membersPath(id), body);
        expect([response.text, response.headers.get("etag")]).toEqual(['{"added":0,"removed":0}', '"2"']);
      }
      expect(await readGroup(id)).toEqual(before);
      expect(await eventsOf(id)).toHaveLength(1);
    });

    test("200: the same id twice counts once", async () => {
      const [user = 0] = await createUsers(1);
      const id = await createGroup();
      expect(await patch(id, { add: [user, user, user] })).toEqual({ added: 1, removed: 0 });
      expect(await patch(id, { remove: [user, user] })).toEqual({ added: 0, removed: 1 });
      expect(await readGroup(id)).toMatchObject({ memberCount: 0, version: 3 });
    });

    test("200: 1,000 ids in both lists together", async () => {
      const [user = 0] = await createUsers(1);
      const id = await createGroup();
      const unknown = ids(999).map((index) => MISSING_ID + index);
      expect(await patch(id, { add: [user], remove: unknown })).toEqual({ added: 1, removed: 0 });
      expect(await patch(id, { add: Array(1000).fill(user) })).toEqual({ added: 0, removed: 0 });
    });

    test.each(badPatches)("422 invalid-group: %s", async (_, body, ...pointers) => {
      const id = await createGroup([3]);
      const before = await readGroup(id);
      const response = await readResponse(
        call(membersPath(id), { method: "PATCH", body, headers: { "content-type": "application/json" } }),
      );
      expect(describeProblem(response)).toEqual([422, "invalid-group", pointers]);
      expect(await readGroup(id)).toEqual(before);
      expect(await memberIds(id)).toEqual([3]);
    });

    test("422 invalid-group: a deleted user cannot be added, and can be removed without effect", async () => {
      const [kept = 0, deleted = 0] = await createUsers(2);
      await service.roster.users.delete(deleted);
      const id = await createGroup();
      const response = await send("PATCH", membersPath(id), { add: [kept, deleted] });
      expect(describeProblem(response)).toEqual([422, "invalid-group", ["/add/1"]]);
      expect(response.problem?.detail).toBe(`add/1: There is no user ${deleted}.`);
      expect(await patch(id, { remove: [deleted] })).toEqual({ added: 0, removed: 0 });
      expect(await memberIds(id)).toEqual([]);
    });

    test("422 invalid-group: lists up to 100 errors", async () => {
      const id = await createGroup();
      const { problem } = await send("PATCH", membersPath(id), { add: Array(1000).fill("x") });
      expect(problem?.errors).toHaveLength(100);
    });

    test.each([
      ["not JSON", "{", "application/json", 400, "malformed-json"],
      ["empty", "", "application/json", 400, "malformed-json"],
      ["too large", `{"add":[${"1,".repeat(40_000)}1]}`, "application/json", 413, "too-large"],
      ["a merge patch", '{"add":[1]}', "application/merge-patch+json", 415, "unsupported-media-type"],
      ["a text", "add 1", "text/plain", 415, "unsupported-media-type"],
    ])("a body that is %s", async (_, body, type, status, problem) => {
      const id = await createGroup();
      const response = await readResponse(
        call(membersPath(id), { method: "PATCH", body, headers: { "content-type": type } }),
      );
      expect(describeProblem(response)).toEqual([status, problem]);
    });

    test("concurrent changes of one group all apply", async () => {
      const users = await createUsers(20);
      const id = await createGroup();
      await Promise.all(users.map((user) => patch(id, { add: [user] })));
      expect(await memberIds(id)).toEqual(users);
      expect(await readGroup(id)).toMatchObject({ memberCount: 20, version: 21 });
    });
  });

  describe("/api/groups/{id}/members/{userId}", () => {
    test("PUT and DELETE give 204, and change something only once", async () => {
      const [user = 0] = await createUsers(1);
      const id = await createGroup();
      const path = `${membersPath(id)}/${user}`;
      for (const [method, version, memberCount] of [
        ["PUT", 2, 1],
        ["PUT", 2, 1],
        ["DELETE", 3, 0],
        ["DELETE", 3, 0],
      ] as const) {
        const { status, text } = await send(method, path);
        expect([status, text]).toEqual([204, ""]);
        expect(await readGroup(id)).toMatchObject({ version, memberCount });
        expect(await memberIds(id)).toEqual(memberCount === 1 ? [user] : []);
      }
      expect(await eventsOf(id)).toHaveLength(2);
    });

    test("GET gives the user with its ETag, also by HEAD, and 304 if the caller has this version", async () => {
      const user = await createUser({ name: "Read as a member", level: 3 });
      const id = await createGroup([user.id]);
      const path = `${membersPath(id)}/${user.id}`;
      const response = await get(path);
      expect([response.status, response.headers.get("etag")]).toEqual([200, '"1"']);
      expect(response.text).toBe((await get(`/api/users/${user.id}`)).text);
      const cached = await send("GET", path, undefined, { "if-none-match": '"1"' });
      expect([cached.status, cached.text, cached.headers.get("etag")]).toEqual([304, "", '"1"']);
      const head = await call(path, { method: "HEAD" });
      expect([head.status, head.headers.get("etag")]).toEqual([200, '"1"']);
      expect((await send("GET", path, undefined, ifMatch(1))).status).toBe(200);
      // The version of the group is 2.
      const other = await send("GET", path, undefined, ifMatch(2));
      expect(describeProblem(other)).toEqual([412, "version-mismatch"]);
      expect(other.problem?.detail).toStartWith(`User ${user.id} is at version 1 now.`);
    });

    test("404 member-not-found: GET of a user that is not a member, was deleted or never existed", async () => {
      const [member = 0, other = 0, deleted = 0] = await createUsers(3);
      const id = await createGroup([member, deleted]);
      await service.roster.users.delete(deleted);
      for (const user of [other, deleted, MISSING_ID]) {
        const response = await get(`${membersPath(id)}/${user}`);
        expect(describeProblem(response)).toEqual(NO_MEMBER);
        expect(response.problem?.detail).toBe(`User ${user} is not a member of group ${id}.`);
      }
      expect((await get(`${membersPath(id)}/${member}`)).status).toBe(200);
    });

    test("404 user-not-found: PUT and DELETE of a user that was deleted or never existed", async () => {
      const [deleted = 0] = await createUsers(1);
      const id = await createGroup([deleted]);
      await service.roster.users.delete(deleted);
      for (const method of ["PUT", "DELETE"]) {
        for (const user of [deleted, MISSING_ID])
          expect(describeProblem(await send(method, `${membersPath(id)}/${user}`))).toEqual(NO_USER);
      }
    });

    test.each(badIds)("404: %s is not an id of a user", async (user) => {
      const id = await createGroup();
      const path = `${membersPath(id)}/${user}`;
      expect(describeProblem(await get(path))).toEqual(NO_MEMBER);
      expect(describeProblem(await send("PUT", path))).toEqual(NO_USER);
      expect(describeProblem(await send("DELETE", path))).toEqual(NO_USER);
    });

    test("405 method-not-allowed: other methods", async () => {
      const id = await createGroup();
      for (const [path, allowed] of [
        [membersPath(id), "GET, PATCH, HEAD, OPTIONS"],
        [`${membersPath(id)}/1`, "GET, PUT, DELETE, HEAD, OPTIONS"],
        ["/api/users/1/groups", "GET, HEAD, OPTIONS"],
      ] as const) {
        const response = await send("POST", path, {});
        expect(describeProblem(response)).toEqual([405, "method-not-allowed"]);
        expect(response.headers.get("allow")).toBe(allowed);
      }
    });
  });

  describe("A group that does not exist", () => {
    const requests = [
      ["GET", "", undefined],
      ["PATCH", "", { add: [1] }],
      ["PATCH", "", {}],
      ["GET", "/1", undefined],
      ["PUT", "/1", undefined],
      ["DELETE", "/1", undefined],
    ] as const;

    test.each([...badIds, String(MISSING_ID)])("404 group-not-found: %s", async (id) => {
      for (const [method, path, body] of requests)
        expect(describeProblem(await send(method, `/api/groups/${id}/members${path}`, body))).toEqual(
          NO_GROUP,
        );
    });

    test("404 group-not-found: a deleted group has no members at once, and its id is never used again", async () => {
      const users = await createUsers(3);
      const id = await createGroup(users);
      const other = await createGroup(users);
      expect((await send("DELETE", `/api/groups/${id}`)).status).toBe(204);
      for (const [method, path, body] of requests)
        expect(describeProblem(await send(method, membersPath(id) + path, body))).toEqual(NO_GROUP);
      expect(await idsAt(`/api/users?group=${id}`)).toEqual([]);
      expect(await idsAt(`/api/users?group=${id}&group=${other}`)).toEqual(users);
      expect(await groupIds(users[0] ?? 0)).toEqual([other]);
      const next = await createGroup();
      expect(next).toBeGreaterThan(other);
      expect(await memberIds(next)).toEqual([]);
    });
  });

  describe("Preconditions of changes", () => {
    const changes = (user: number) =>
      [
        ["PATCH", "", { add: [user] }],
        ["PATCH", "", {}],
        ["PUT", `/${user}`, undefined],
        ["DELETE", `/${user}`, undefined],
      ] as const;

    test.each([
      ["If-Match of another version", { "if-match": '"2"' }, "version-mismatch"],
      ["a malformed If-Match", { "if-match": "1" }, "version-mismatch"],
      ["If-None-Match of any version", { "if-none-match": "*" }, "precondition-failed"],
      ["If-None-Match of this version", { "if-none-match": '"1"' }, "precondition-failed"],
    ])("412: %s", async (_, headers, type) => {
      const [user = 0] = await createUsers(1);
      const id = await createGroup();
      for (const [method, path, body] of changes(user)) {
        const response = await send(method, membersPath(id) + path, body, headers);
        expect(describeProblem(response)).toEqual([412, type]);
        expect(response.problem?.detail).toContain("Nothing was changed.");
      }
      expect(await readGroup(id)).toMatchObject({ version: 1, memberCount: 0 });
    });

    test("If-Match is about the version of the group, which each change raises", async () => {
      const [user = 0, other = 0] = await createUsers(2);
      const id = await createGroup();
      const path = membersPath(id);
      const added = await send("PATCH", path, { add: [user] }, ifMatch(1));
      expect([added.status, added.headers.get("etag")]).toEqual([200, '"2"']);
      expect((await send("PUT", `${path}/${other}`, undefined, ifMatch(2))).status).toBe(204);
      expect((await send("DELETE", `${path}/${user}`, undefined, ifMatch(3))).status).toBe(204);
      expect((await send("DELETE", `${path}/${user}`, undefined, ifMatch(4))).status).toBe(204);
      expect((await send("PATCH", path, {}, { "if-match": '"1", "4"' })).text).toBe(
        '{"added":0,"removed":0}',
      );
      expect((await send("PATCH", path, { remove: [other] }, { "if-match": "*" })).status).toBe(200);
      expect(describeProblem(await send("PATCH", `/api/groups/${id}`, { a: 1 }, ifMatch(4)))).toEqual([
        412,
        "version-mismatch",
      ]);
    });
  });

  describe("GET /api/groups/{id}/members", () => {
    let id = 0;
    let users: number[] = [];
    beforeAll(async () => {
      users = [
        ...(await createUsers(6, { plan: "pro" })),
        ...(await createUsers(5, { plan: "free", city: "Oslo" })),
      ];
      users.push((await createUser({ name: "Zoë Member", plan: "pro", email: "zoe@members.org" })).id);
      id = await createGroup(users);
      await createUsers(3, { plan: "pro", city: "Oslo" });
    });

    test("200: the members in the order of their ids, as they are read", async () => {
      const members: User[] = parse(await get(membersPath(id)));
      expect(members.map((user) => user.id)).toEqual(users);
      for (const user of members) expect(parse(await get(`/api/users/${user.id}`))).toEqual(user);
      expect((await readGroup(id)).memberCount).toBe(users.length);
    });

    test("200: q, filters, filter, sort and fields work as in lists of users", async () => {
      expect(await memberIds(id, "q=zoe")).toEqual(users.slice(-1));
      expect(await memberIds(id, "q=nobody")).toEqual([]);
      expect(await memberIds(id, "plan=free")).toEqual(users.slice(6, 11));
      expect(await memberIds(id, "plan=free&plan=pro&city=Oslo")).toEqual(users.slice(6, 11));
      expect(await memberIds(id, "email=ZOE@members.org")).toEqual(users.slice(-1));
      expect(await memberIds(id, `id=${users[2]}&id=1`)).toEqual(users.slice(2, 3));
      expect(await memberIds(id, `filter=${encodeURIComponent('plan eq "PRO" and n ge 4')}`)).toEqual(
        users.slice(4, 6),
      );
      expect(await memberIds(id, "sort=-id")).toEqual(users.toReversed());
      expect((await memberIds(id, "sort=-n&plan=pro")).slice(0, 2)).toEqual([users[5] ?? 0, users[4] ?? 0]);
      expect((await memberIds(id, "sort=-name"))[0]).toBe(users.at(-1) ?? 0);
      const [first] = parse(await get(`${membersPath(id)}?fields=name&limit=1`));
      expect(first).toEqual({ id: users[0], name: "Member 0", version: 1 });
    });

    test("200: another group in the query selects the users that are in both", async () => {
      const other = await createGroup(users.slice(3, 5));
      const empty = await createGroup();
      expect(await memberIds(id, `group=${other}`)).toEqual(users.slice(3, 5));
      expect(await memberIds(id, `group=${other}&group=${id}`)).toEqual(users);
      expect(await memberIds(id, `group=${empty}`)).toEqual([]);
    });

    test("200: count=true counts the members, also those that match", async () => {
      const total = async (query: string) =>
        (await get(`${membersPath(id)}?count=true&${query}`)).headers.get("x-total-count");
      expect(await total("limit=2")).toBe("12");
      expect(await total("limit=2&plan=free")).toBe("5");
      expect(await total("limit=2&offset=11")).toBe("12");
      expect((await get(membersPath(id))).headers.get("x-total-count")).toBeNull();
    });

    test("200: the Link header leads to every page of this list", async () => {
      const { found, links } = await followPages(`${membersPath(id)}?limit=5&sort=-n`);
      expect(found).toEqual(await memberIds(id, "sort=-n"));
      expect(links).toHaveLength(3);
      for (const link of links.slice(0, 2))
        expect(link).toStartWith(`<${service.url}${membersPath(id)}?limit=5&sort=-n&after=`);
      const { headers } = await get(`${membersPath(id)}?limit=5&offset=5`);
      expect(headers.get("link")).toContain(`<${service.url}${membersPath(id)}?limit=5>; rel="prev"`);
      expect(headers.get("link")).toContain(`<${service.url}${membersPath(id)}?limit=5>; rel="first"`);
    });

    test("200: the same query string on other paths is another list", async () => {
      const other = await createGroup(users.slice(0, 1));
      for (let repetition = 0; repetition < 2; repetition++) {
        for (const query of ["limit=3", "limit=3&plan=pro&sort=-id", ""]) {
          const all = await idsAt(`/api/users?${query}`);
          expect(all).not.toEqual(await idsAt(`${membersPath(id)}?${query}`));
          expect(await idsAt(`${membersPath(other)}?${query}`)).toEqual(users.slice(0, 1));
          expect(await idsAt(`/api/users?${query}`)).toEqual(all);
        }
      }
    });

    test("an empty page is one of a group that exists, and 404 otherwise", async () => {
      const other = await createGroup(users.slice(0, 2));
      const empty = await createGroup();
      const queries = ["q=nobody", "offset=5", "plan=none&sort=-name", "after=9007199254740991.0.id", ""];
      for (const query of [...queries, ...queries.map((each) => `${each}&count=true`)]) {
        expect(await idsAt(`${membersPath(empty)}?${query}`)).toEqual([]);
        const { status } = await get(`${membersPath(other)}?${query}`);
        expect([query, status]).toEqual([query, 200]);
        for (const missing of [MISSING_ID, 9007199254740991])
          expect(describeProblem(await get(`${membersPath(missing)}?${query}`))).toEqual(NO_GROUP);
      }
      await send("DELETE", `/api/groups/${other}`);
      for (const query of queries)
        expect(describeProblem(await get(`${membersPath(other)}?${query}`))).toEqual(NO_GROUP);
    });

    test("200: the events after Roster-Event have each later change of members", async () => {
      const other = await createGroup(users.slice(0, 2));
      const before = (await get(`${membersPath(other)}?limit=1`)).headers.get("roster-event");
      await patch(other, { remove: users.slice(0, 1) });
      const after = parse(await get(`/api/events?after=${before}&subject=group:${other}`));
      expect(after.at(-1)).toEqual(await lastEventOf(other));
    });

    test.each(badListQueries)("400 invalid-query: %s", async (query, parameter) => {
      expect(describeProblem(await get(`${membersPath(id)}?${query}`))).toEqual([
        400,
        "invalid-query",
        [parameter],
      ]);
    });

    test("406 not-acceptable: CSV", async () => {
      const response = await send("GET", membersPath(id), undefined, { accept: "text/csv" });
      expect(describeProblem(response)).toEqual([406, "not-acceptable"]);
      expect(response.problem?.detail).toContain("use GET /api/users/export?group=ID");
    });
  });

  describe("GET /api/users/{id}/groups", () => {
    test("200: the groups of the user, with the parameters of lists of groups", async () => {
      const [user = 0, other = 0] = await createUsers(2);
      const first = await createGroup([user, other]);
      const second = await createGroup([user]);
      const third = await createGroup([other]);
      const fourth = await createGroup([user]);
      await send("PATCH", `/api/groups/${second}`, { region: "north", group: "x" });
      expect(await groupIds(user)).toEqual([first, second, fourth]);
      expect(await groupIds(other)).toEqual([first, third]);
      expect(parse(await get(`/api/users/${user}/groups`))[0]).toEqual(await readGroup(first));
      expect(await groupIds(user, "sort=-memberCount")).toEqual([first, fourth, second]);
      expect(await groupIds(user, "region=north")).toEqual([second]);
      // In lists of groups, `group` is a field as any other.
      expect(await groupIds(user, "group=x")).toEqual([second]);
      expect(await groupIds(user, `filter=${encodeURIComponent("memberCount gt 1")}`)).toEqual([first]);
      expect(await groupIds(user, `q=group%20${(await readGroup(second)).name.slice(6)}`)).toEqual([second]);
      expect(parse(await get(`/api/users/${user}/groups?fields=region&limit=1&offset=1`))).toEqual([
        { id: second, region: "north", version: 3 },
      ]);
      const counted = await get(`/api/users/${user}/groups?count=true&limit=2`);
      expect(counted.headers.get("x-total-count")).toBe("3");
      expect(counted.headers.get("roster-event")).toMatch(/^[0-9a-z]{11}$/);
      const { found, links } = await followPages(`/api/users/${user}/groups?limit=2`);
      expect(found).toEqual([first, second, fourth]);
      expect(links[0]).toStartWith(`<${service.url}/api/users/${user}/groups?limit=2&after=`);
    });

    test("200: a user without groups has an empty list", async () => {
      const [user = 0] = await createUsers(1);
      const response = await get(`/api/users/${user}/groups`);
      expect([response.status, response.text]).toEqual([200, "[]"]);
    });

    test("an empty page is one of a user that exists, and 404 otherwise", async () => {
      const [user = 0] = await createUsers(1);
      await createGroup([user]);
      for (const query of ["q=nothing", "offset=5", "sort=-name&region=none", "q=nothing&count=true"]) {
        expect(await idsAt(`/api/users/${user}/groups?${query}`)).toEqual([]);
        expect(describeProblem(await get(`/api/users/${MISSING_ID}/groups?${query}`))).toEqual(NO_USER);
      }
      await send("DELETE", `/api/users/${user}`);
      expect(describeProblem(await get(`/api/users/${user}/groups`))).toEqual(NO_USER);
    });

    test.each([...badIds, String(MISSING_ID)])("404 user-not-found: %s", async (user) => {
      expect(describeProblem(await get(`/api/users/${user}/groups`))).toEqual(NO_USER);
    });

    test.each(badListQueries)("400 invalid-query: %s", async (query, parameter) => {
      expect(describeProblem(await get(`/api/users/1/groups?${query}`))).toEqual([
        400,
        "invalid-query",
        [parameter],
      ]);
    });
  });

  describe("The parameter group of lists of users", () => {
    let sales = 0;
    let support = 0;
    let users: number[] = [];
    beforeAll(async () => {
      users = await createUsers(6, { group: "a field" });
      sales = await createGroup(users.slice(0, 4));
      support = await createGroup(users.slice(3, 5));
    });
    const find = (query: string) => idsAt(`/api/users?limit=1000&${query}`);

    test("selects the members of any of the groups", async () => {
      expect(await find(`group=${sales}`)).toEqual(users.slice(0, 4));
      expect(await find(`group=${support}`)).toEqual(users.slice(3, 5));
      expect(await find(`group=${sales}&group=${support}`)).toEqual(users.slice(0, 5));
      expect(await find(`group=${sales}&group=${sales}`)).toEqual(users.slice(0, 4));
      expect(await find(`%67roup=${sales}`)).toEqual(users.slice(0, 4));
    });

    test("is one of several conditions, which must all match", async () => {
      expect(await find(`group=${sales}&n=1&n=4`)).toEqual(users.slice(1, 2));
      expect(await find(`group=${sales}&q=member%202`)).toEqual(users.slice(2, 3));
      expect(await find(`group=${sales}&filter=${encodeURIComponent("n ge 2")}`)).toEqual(users.slice(2, 4));
      expect(await find(`group=${sales}&sort=-n&fields=n`)).toEqual(users.slice(0, 4).toReversed());
      const { headers } = await get(`/api/users?group=${sales}&count=true&limit=1`);
      expect(headers.get("x-total-count")).toBe("4");
      const { found, links } = await followPages(`/api/users?group=${sales}&group=${support}&limit=2`);
      expect(found).toEqual(users.slice(0, 5));
      expect(links[0]).toStartWith(
        `<${service.url}/api/users?group=${sales}&group=${support}&limit=2&after=`,
      );
    });

    test("selects nobody for a group that does not exist, and for what is not an id", async () => {
      for (const value of [MISSING_ID, "", "abc", "0", "-1", "1.5", "9007199254740992", "a%20field"])
        expect(await find(`group=${value}`)).toEqual([]);
      expect(await find(`group=abc&group=${support}&group=${MISSING_ID}`)).toEqual(users.slice(3, 5));
    });

    test("is no filter by a field of that name: an expression is", async () => {
      expect(await find(`filter=${encodeURIComponent('group eq "a field"')}`)).toEqual(users);
      const both = `group=${sales}&filter=${encodeURIComponent('group eq "a field" and n lt 2')}`;
      expect(await find(both)).toEqual(users.slice(0, 2));
    });

    test("works in exports and explanations", async () => {
      const exported = await get(`/api/users/export?group=${support}`);
      expect(
        exported.text
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line).id),
      ).toEqual(users.slice(3, 5));
      const csv = await get(`/api/users/export?group=${support}&format=csv&fields=id`);
      expect(csv.text.trim().split("\r\n")).toHaveLength(3);
      const explained = parse(await get(`/api/users/explain?group=${support}`));
      expect(explained).toMatchObject({ found: 2, complete: true });
    });

    test("takes up to 100 values", async () => {
      const values = (count: number) => ids(count).map((index) => `group=${MISSING_ID + index}`);
      expect(await find([...values(99), `group=${support}`].join("&"))).toEqual(users.slice(3, 5));
      for (const path of ["/api/users", "/api/users/explain", "/api/users/export"]) {
        const response = await get(`${path}?${values(101).join("&")}`);
        expect(describeProblem(response)).toEqual([400, "invalid-query", ["group"]]);
        expect(response.problem?.detail).toBe("group: Send at most 100 values.");
      }
    });

    test.each(["groups", "Group", "GROUP", "GROUPS"])(
      "400 invalid-query: %s, with a suggestion",
      async (name) => {
        const response = await get(`/api/users?${name}=${sales}`);
        expect(describeProblem(response)).toEqual([400, "invalid-query", [name]]);
        expect(response.problem?.detail).toContain("Did you mean group?");
      },
    );
  });

  describe("Deleted users", () => {
    test("are not members, and are again when they are restored", async () => {
      const [user = 0, other = 0] = await createUsers(2);
      const first = await createGroup([user, other]);
      const second = await createGroup([user]);
      await service.roster.users.delete(user);
      expect(await memberIds(first)).toEqual([other]);
      expect(await memberIds(second)).toEqual([]);
      expect(await idsAt(`/api/users?group=${first}&group=${second}`)).toEqual([other]);
      expect(await readGroup(first)).toMatchObject({ memberCount: 1, version: 3 });
      expect(await readGroup(second)).toMatchObject({ memberCount: 0, version: 3 });
      expect(describeProblem(await get(`/api/users/${user}/groups`))).toEqual(NO_USER);
      await restore(user);
      expect(await memberIds(first)).toEqual([user, other]);
      expect(await groupIds(user)).toEqual([first, second]);
      expect(await readGroup(second)).toMatchObject({ memberCount: 1, version: 4 });
      expect((await get(`${membersPath(second)}/${user}`)).status).toBe(200);
    });

    test("do not return to a group that was deleted since", async () => {
      const [user = 0] = await createUsers(1);
      const gone = await createGroup([user]);
      const kept = await createGroup([user]);
      await service.roster.users.delete(user);
      expect((await send("DELETE", `/api/groups/${gone}`)).status).toBe(204);
      await restore(user);
      expect(await groupIds(user)).toEqual([kept]);
    });

    test("have no memberships any more when they are purged", async () => {
      const [user = 0, other = 0] = await createUsers(2);
      const id = await createGroup([user, other]);
      expect((await send("DELETE", `/api/users/${user}?purge=true`)).status).toBe(204);
      expect(await memberIds(id)).toEqual([other]);
      await service.roster.users.delete(other);
      expect((await send("DELETE", `/api/deleted-users/${other}`)).status).toBe(204);
      expect(await memberIds(id)).toEqual([]);
      expect(await readGroup(id)).toMatchObject({ memberCount: 0, version: 4 });
      const removed = (await eventsOf(id)).map(
        (event: { changes: { members: { removed: number[] } } }) => event.changes.members.removed,
      );
      expect(removed).toEqual([[], [user], [other]]);
    });

    test("leave and join their groups in a bulk change too, with one event for each group", async () => {
      const users = await createUsers(3);
      const id = await createGroup(users);
      await service.roster.users.bulk({ ids: users, delete: true }).summary();
      expect(await readGroup(id)).toMatchObject({ memberCount: 0, version: 3 });
      await service.roster.users.bulk({ ids: users, restore: true }).summary();
      expect(await readGroup(id)).toMatchObject({ memberCount: 3, version: 4 });
      const [, deleted, restored] = await eventsOf(id);
      expect([deleted.changes, restored.changes]).toEqual([
        { members: { added: [], removed: users } },
        { members: { added: users, removed: [] } },
      ]);
    });
  });

  describe("The event group.members_changed", () => {
    test("has the ids, the version and the group, once for each write that changes members", async () => {
      const [first = 0, second = 0, third = 0] = await createUsers(3);
      const id = await createGroup();
      const changes = [
        [() => patch(id, { add: [first, second] }), [first, second], []],
        [() => patch(id, { add: [third, first], remove: [second] }), [third], [second]],
        [() => send("PUT", `${membersPath(id)}/${second}`), [second], []],
        [() => send("DELETE", `${membersPath(id)}/${first}`), [], [first]],
        [() => service.roster.users.delete(third), [], [third]],
        [() => restore(third), [third], []],
      ] as const;
      for (const [index, [change, added, removed]] of changes.entries()) {
        await change();
        expect(await eventsOf(id)).toHaveLength(index + 1);
        const event = await lastEventOf(id);
        expect(event).toMatchObject({
          type: "group.members_changed",
          subject: { type: "group", id },
          version: index + 2,
          changes: { members: { added, removed } },
        });
        expect(event.record).toEqual(await readGroup(id));
      }
      expect((await readGroup(id)).memberCount).toBe(2);
    });

    test("is found as group.*, and in the history of its group", async () => {
      const [user = 0] = await createUsers(1);
      const id = await createGroup([user]);
      const types = parse(await get(`/api/events?subject=group:${id}&type=group.*`)).map(
        ({ type }: { type: string }) => type,
      );
      expect(types).toEqual(["group.created", "group.members_changed"]);
    });

    test("is not sent for a refused change", async () => {
      const [user = 0] = await createUsers(1);
      const id = await createGroup();
      await send("PATCH", membersPath(id), { add: [user, MISSING_ID] });
      await send("PUT", `${membersPath(id)}/${user}`, undefined, ifMatch(9));
      await send("PUT", `${membersPath(id)}/${MISSING_ID}`);
      expect(await eventsOf(id)).toEqual([]);
    });
  });
});

/** What keys with some scopes may do. access/access.test.ts calls every operation with every set of scopes. */
onEachEngine((engine) => {
  const admin = new KeyAdmin(engine);
  const keyWith = async (...scopes: Scope[]) =>
    bearer((await admin.createKey({ name: scopes.join(), scopes })).key);

  describe("Scopes of members", () => {
    test("the parameter group needs groups:read, in whatever form it is sent", async () => {
      const reader = await keyWith("users:read");
      const both = await keyWith("users:read", "groups:read");
      for (const path of ["/api/users", "/api/users/explain", "/api/users/export"]) {
        for (const query of [
          "group=1",
          "group=",
          "group",
          "%67roup=x",
          "sort=id&gr%6Fup=1",
          "group=1&group=2",
          "filter=groups%20pr",
          "filter=not%20(groups%20eq%201)%20and%20name%20pr",
        ]) {
          const refused = await readResponse(admin.call(`${path}?${query}`, { headers: reader }));
          expect(describeProblem(refused)).toEqual([403, "insufficient-scope"]);
          expect(refused.headers.get("www-authenticate")).toContain('scope="groups:read"');
          expect((await admin.call(`${path}?${query}`, { headers: both })).status).toBe(200);
        }
        // The list is kept for others.
        expect((await admin.call(`${path}?group=1`, { headers: reader })).status).toBe(403);
        expect((await admin.call(path, { headers: reader })).status).toBe(200);
      }
    });

    test("a key that must not read users learns nothing about them from changes of members", async () => {
      const created = await admin.call("/api/groups", { method: "POST", json: { name: "Guarded" } });
      const { id } = await created.json();
      const writer = await keyWith("groups:read", "groups:write");
      for (const [method, path, json] of [
        ["PATCH", "", { add: [MISSING_ID] }],
        ["PUT", `/${MISSING_ID}`, undefined],
        ["DELETE", `/${MISSING_ID}`, undefined],
        ["GET", "", undefined],
        ["GET", `/${MISSING_ID}`, undefined],
      ] as const) {
        const response = await readResponse(
          admin.call(`/api/groups/${id}/members${path}`, { method, json, headers: writer }),
        );
        expect(describeProblem(response)).toEqual([403, "insufficient-scope"]);
        expect(response.headers.get("www-authenticate")).toContain('scope="users:read"');
      }
    });

    test("a change of members needs groups:write and users:read, and no more", async () => {
      const [{ id }, user] = await Promise.all([
        admin.call("/api/groups", { method: "POST", json: { name: "Written" } }).then((sent) => sent.json()),
        admin.call("/api/users", { method: "POST", json: { name: "Ada" } }).then((sent) => sent.json()),
      ]);
      const headers = await keyWith("groups:write", "users:read");
      const path = `/api/groups/${id}/members`;
      const added = await admin.call(path, { method: "PATCH", json: { add: [user.id] }, headers });
      expect([await added.json(), added.headers.get("etag")]).toEqual([{ added: 1, removed: 0 }, '"2"']);
      for (const method of ["PUT", "DELETE"])
        expect((await admin.call(`${path}/${user.id}`, { method, headers })).status).toBe(204);
    });
  });
});
