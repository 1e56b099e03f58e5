import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import fc from "fast-check";
import { bearer } from "../../support/credentials.ts";
import { onEachEngine } from "../../support/engines.ts";
import { type ScimCaller, type ScimService, startScimService } from "./support/scim-caller.ts";

setDefaultTimeout(180_000);

const USERS = 5000;
const LARGE = "Large";

onEachEngine((engine) => {
  let service: ScimService;
  let scim: ScimCaller;
  /** The members of each group, by the id of the group. */
  const members = new Map<string, string[]>();
  let large = "";
  let users: string[] = [];
  beforeAll(async () => {
    service = await startScimService(engine);
    scim = await service.connect();
    const people = Array.from({ length: USERS }, (_, index) => ({ name: `User ${index}` }));
    users = (await service.importUsers(people)).map(String);
    large = await createGroup(LARGE, users);
    for (let index = 0; index < 60; index++)
      await createGroup(`Group ${index}`, users.slice(index, index + ((index * 37) % 90)));
    await createGroup("Thousand", users.slice(0, 1000));
    await createGroup("Thousand and one", users.slice(0, 1001));
  });
  afterAll(() => service.stop());

  const createGroup = async (displayName: string, ids: readonly string[]): Promise<string> => {
    const id = await scim.create("/Groups", { displayName, members: ids.map((value) => ({ value })) });
    members.set(id, [...ids]);
    return id;
  };
  const membersIn = (resources: unknown): Record<string, string[]> =>
    Object.fromEntries(
      Object(resources).map((group: { id: string; members: { value: string }[] }) => [
        group.id,
        group.members.map(({ value }) => value),
      ]),
    );
  const allGroups = () => [...members.keys()].sort((a, b) => Number(a.slice(1)) - Number(b.slice(1)));
  const expected = (ids: readonly string[]) =>
    Object.fromEntries(ids.map((id) => [id, members.get(id) ?? []]));

  describe("Groups in a list", () => {
    test("have all their members, with $ref and type", async () => {
      const { body } = await scim.expect("GET /Groups?count=1000");
      expect(body.itemsPerPage).toBe(members.size);
      expect(membersIn(body.Resources)).toEqual(expected(allGroups()));
      const [first] = Object(body.Resources)[1].members;
      expect(first).toBeUndefined();
      const [second] = Object(body.Resources)[2].members;
      expect(second).toEqual({
        value: users[1],
        $ref: `${service.url}/scim/v2/Users/${users[1]}`,
        type: "User",
      });
    });

    test("have them in any order of the groups, on any page", async () => {
      const queries = fc.record({
        startIndex: fc.integer({ min: 1, max: members.size }),
        count: fc.integer({ min: 1, max: members.size }),
        order: fc.constantFrom("", "&sortBy=displayName", "&sortBy=displayName&sortOrder=descending"),
      });
      await fc.assert(
        fc.asyncProperty(queries, async ({ startIndex, count, order }) => {
          const { body } = await scim.expect(`GET /Groups?startIndex=${startIndex}&count=${count}${order}`);
          const found = membersIn(body.Resources);
          expect(found).toEqual(expected(Object.keys(found)));
        }),
        { numRuns: 15 },
      );
    });

    test("show of their members what is asked for", async () => {
      const filter = `filter=${encodeURIComponent('displayName eq "Group 1"')}`;
      const shown = async (query: string) =>
        Object((await scim.expect(`GET /Groups?${filter}&${query}`)).body.Resources)[0];
      const [one = "", two = ""] = users.slice(1);
      expect((await shown("attributes=members.value")).members.slice(0, 2)).toEqual([
        { value: one },
        { value: two },
      ]);
      expect((await shown("excludedAttributes=members.value,members.$ref")).members[0]).toEqual({
        type: "User",
      });
      expect(Object.keys(await shown("excludedAttributes=members"))).not.toContain("members");
      expect(Object.keys(await shown("attributes=displayName"))).toEqual(["schemas", "id", "displayName"]);
    });
  });

  describe("A group with 5,000 members", () => {
    test("is sent in parts, alone and in a list", async () => {
      const key = await createKey();
      for (const path of [`/Groups/${large}`, "/Groups?count=1"]) {
        const response = await service.call(`/scim/v2${path}`, { headers: bearer(key) });
        expect([response.status, response.headers.get("content-length")]).toEqual([200, null]);
        const body = await response.json();
        const [group] = body.Resources ?? [body];
        expect(group.members.map(({ value }: { value: string }) => value)).toEqual(users);
      }
      const head = await service.call(`/scim/v2/Groups/${large}`, { method: "HEAD", headers: bearer(key) });
      expect([head.status, await head.text()]).toEqual([200, ""]);
    });

    test("counts as a request for each 1,000 members", async () => {
      const key = await createKey({ requests: 100, seconds: 86_400 });
      const remaining = async () => {
        const { headers } = await service.call("/scim/v2/Groups?count=0", { headers: bearer(key) });
        return Number(/r=(\d+)/.exec(headers.get("ratelimit") ?? "")?.[1]);
      };
      const costOf = async (path: string) => {
        const before = await remaining();
        await (await service.call(`/scim/v2${path}`, { headers: bearer(key) })).text();
        return before - (await remaining()) - 1;
      };
      expect(await costOf(`/Groups/${large}`)).toBe(5);
      expect(await costOf("/Groups?count=1")).toBe(5);
      expect(await costOf("/Groups?count=1&excludedAttributes=members")).toBe(1);
      expect(await costOf(`/Groups/${large}?attributes=displayName`)).toBe(1);
      expect(await costOf("/Groups?startIndex=2&count=20")).toBe(1);
      // Without the right to read users, no members are read.
      const other = await createKey({ requests: 100, seconds: 86_400 }, ["groups:read"]);
      const response = await service.call("/scim/v2/Groups", { headers: bearer(other) });
      expect(response.headers.get("ratelimit")).toContain("r=99");
      await response.text();
    });

    test("waits for the rate limit of its caller", async () => {
      const key = await createKey({ requests: 2, seconds: 20 });
      const read = async () => {
        const response = await service.call(`/scim/v2/Groups/${large}`, { headers: bearer(key) });
        return (await response.json()).members.length;
      };
      expect(await service.clock.skipTo(read(), 60_000)).toBe(USERS);
    });
  });

  const createKey = async (rateLimit?: object, scopes = ["users:read", "groups:read"]): Promise<string> => {
    const json = { name: "members", scopes, ...(rateLimit && { rateLimit }) };
    return (await (await service.api("/api/keys", { method: "POST", json })).json()).key;
  };
});
