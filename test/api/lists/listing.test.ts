import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { ListOptions, User, Users } from "../../../src/client/index.ts";
import { columnFields } from "../../../src/contract/users/user-fields.ts";
import { onEachEngine } from "../../support/engines.ts";
import { startService, type TestService } from "../../support/service.ts";

onEachEngine((engine) => {
  let service: TestService;
  let users: Users;
  beforeAll(async () => {
    service = await startService({}, engine);
    users = service.roster.users;
    const manyTags = [...Array.from({ length: 500 }, (_, i) => i + 0.5), "a", ["vip"], { b: "x" }];
    const records = [
      { name: "Zoë Washburne", email: "zoe@serenity.example", department: "crew", level: 3, certified: true },
      {
        name: "ada Lovelace",
        email: "Ada@Engines.example",
        department: "engines",
        level: "3",
        certified: false,
      },
      { name: "José Núñez", department: "sales", certified: "true", note: null },
      {
        name: "Ada Byron",
        email: "byron@engines.example",
        department: "engines",
        level: 4,
        tags: [["vip", 3.5, { b: "x" }], "a"],
        address: { city: "a" },
      },
      {
        name: "Álvaro",
        email: "alvaro@sales.example",
        department: "sales",
        long: "x".repeat(5000),
        tags: manyTags,
      },
      { name: "Mary-Jane O'Neil", department: "crew", tags: ["a", "VIP", 3, null], level: 3.5 },
    ];
    for (const record of records) await users.create(record);
  });
  afterAll(() => service.stop());

  const idsOf = (listed: User[]) => listed.map(({ id }) => id);
  const ids = async (options: ListOptions) => idsOf((await users.list(options).page()).users);
  const idsWhere = (where: Required<ListOptions>["where"]) => ids({ where });
  const linkOf = (response: Response, relation: string) =>
    new RegExp(`<([^>]+)>; rel="${relation}"`).exec(response.headers.get("link") ?? "")?.[1];

  describe("sort", () => {
    test("sorts text without regard to case or accents, ties by id", async () => {
      expect(await ids({ sort: "name" })).toEqual([4, 2, 5, 3, 6, 1]);
      expect(await ids({ sort: "-name" })).toEqual([1, 6, 3, 5, 2, 4]);
    });

    test("puts users without an email last in both directions", async () => {
      expect(await ids({ sort: "email" })).toEqual([2, 5, 4, 1, 3, 6]);
      expect(await ids({ sort: "-email" })).toEqual([1, 4, 5, 2, 6, 3]);
    });

    test("sorts by id, createdAt and updatedAt in both directions", async () => {
      for (const field of ["id", "createdAt", "updatedAt"] as const) {
        expect(await ids({ sort: field })).toEqual([1, 2, 3, 4, 5, 6]);
        expect(await ids({ sort: `-${field}` })).toEqual([6, 5, 4, 3, 2, 1]);
      }
    });
  });

  describe("q", () => {
    test("finds text in name or email, without regard to case or accents", async () => {
      expect(await ids({ q: "jose" })).toEqual([3]);
      expect(await ids({ q: "JOSÉ" })).toEqual([3]);
      expect(await ids({ q: "ENGINES.ex" })).toEqual([2, 4]);
      expect(await ids({ q: "velace" })).toEqual([2]);
      expect(await ids({ q: "jane o'n" })).toEqual([6]);
      expect(await ids({ q: "lovelaceX" })).toEqual([]);
    });

    test("does not match across the end of the name and the start of the email", async () => {
      expect(await ids({ q: "lovelaceada" })).toEqual([]);
    });

    test("finds users that contain every word, in any order, in the name or the email", async () => {
      expect(await ids({ q: "nunez jose" })).toEqual([3]);
      expect(await ids({ q: "  Núñez \t JOS  " })).toEqual([3]);
      expect(await ids({ q: "engines love" })).toEqual([2]);
      expect(await ids({ q: "engines ada" })).toEqual([2, 4]);
      expect(await ids({ q: "engines nunez" })).toEqual([]);
      expect(await ids({ q: "ada nobody" })).toEqual([]);
    });

    test("gives repeated words and words inside others no further meaning", async () => {
      expect(await ids({ q: "ada ADA adá ada ada ada ada ada" })).toEqual([2, 4]);
      expect(await ids({ q: "love lovelace" })).toEqual([2]);
      // "en" is inside "engines", but no word starts with it.
      expect(await ids({ q: "engines en" })).toEqual([]);
      expect(await ids({ q: "engines lo l" })).toEqual([2]);
    });

    test("accepts 10 words, and treats quotation marks as plain text", async () => {
      expect(await ids({ q: "a l ad lo ada ove lac ace lov @eng" })).toEqual([2]);
      expect(await ids({ q: "a l ad lo ada ove lac ace lov @sal" })).toEqual([]);
      expect(await ids({ q: '"ada lovelace"' })).toEqual([]);
    });

    test("with one or two characters, matches the start of the name, of a word in it, or of the email", async () => {
      expect(await ids({ q: "a" })).toEqual([2, 4, 5]);
      expect(await ids({ q: "ad" })).toEqual([2, 4]);
      expect(await ids({ q: "lo" })).toEqual([2]);
      expect(await ids({ q: "ja" })).toEqual([6]);
      expect(await ids({ q: "by" })).toEqual([4]);
      expect(await ids({ q: "en" })).toEqual([]);
    });

    test("treats the engine's search syntax as plain text", async () => {
      for (const text of ['"', "'", "a OR b", "NEAR(a b)", "*", "ada*", "-ada", "name:ada", "%", "_", "\\"]) {
        expect(await ids({ q: text })).toEqual([]);
      }
    });

    test("combines with sort, filters and count", async () => {
      const where = { department: "engines" };
      const page = await users.list({ q: "ada", sort: "-name", where, limit: 1 }).page({ count: true });
      expect(idsOf(page.users)).toEqual([2]);
      expect(page.total).toEqual({ count: 2, capped: false });
    });
  });

  describe("filters", () => {
    test("compare name and email without regard to case, but with accents", async () => {
      expect(await idsWhere({ email: "ADA@engines.EXAMPLE" })).toEqual([2]);
      expect(await idsWhere({ name: "ADA LOVELACE" })).toEqual([2]);
      expect(await idsWhere({ name: "josé núñez" })).toEqual([3]);
      expect(await idsWhere({ name: "jose nunez" })).toEqual([]);
    });

    test("accept a space as %20 or +, and any character percent-encoded", async () => {
      for (const name of ["ada%20lovelace", "ADA+LOVELACE", "%61da%20lovel%41ce"]) {
        expect(await (await service.call(`/api/users?name=${name}`)).json()).toMatchObject([{ id: 2 }]);
      }
      for (const q of ["jane%20o'n", "jane+o%27n"]) {
        expect(await (await service.call(`/api/users?q=${q}`)).json()).toMatchObject([{ id: 6 }]);
      }
    });

    test("compare custom fields by their exact text", async () => {
      expect(await idsWhere({ level: 3 })).toEqual([1, 2]);
      expect(await idsWhere({ level: 3.5 })).toEqual([6]);
      expect(await idsWhere({ certified: true })).toEqual([1, 3]);
      expect(await idsWhere({ department: "Sales" })).toEqual([]);
      expect(await idsWhere({ note: null })).toEqual([3]);
      expect(await idsWhere({ long: "x".repeat(5000) })).toEqual([5]);
      expect(await idsWhere({ long: "x".repeat(4999) })).toEqual([]);
    });

    test("match the elements of arrays, however many there are", async () => {
      expect(await idsWhere({ tags: "a" })).toEqual([4, 5, 6]);
      expect(await idsWhere({ tags: "vip" })).toEqual([4, 5]);
      expect(await idsWhere({ tags: "VIP" })).toEqual([6]);
      expect(await idsWhere({ tags: 3 })).toEqual([6]);
      expect(await idsWhere({ tags: null })).toEqual([6]);
      expect(await idsWhere({ tags: 3.5 })).toEqual([4, 5]);
      expect(await idsWhere({ tags: "x" })).toEqual([]);
      expect(await ids({ where: { tags: ["a", "vip", "VIP", "3.5"] }, sort: "-id" })).toEqual([6, 5, 4]);
      expect(await idsWhere({ tags: "a", level: [3.5, 4] })).toEqual([4, 6]);
      const page = await users.list({ where: { tags: ["a", "vip"] }, limit: 1 }).page({ count: true });
      expect(page.total).toEqual({ count: 3, capped: false });
    });

    test("match any of one field's values, and all of several fields", async () => {
      expect(await idsWhere({ id: [5, 1, 999] })).toEqual([1, 5]);
      expect(await idsWhere({ department: ["crew", "sales"] })).toEqual([1, 3, 5, 6]);
      expect(await idsWhere({ department: ["crew", "sales"], certified: true })).toEqual([1, 3]);
      expect(await ids({ where: { id: [1, 2, 3], certified: true }, sort: "-id" })).toEqual([3, 1]);
    });

    test("match no user for objects, unknown fields and impossible values", async () => {
      for (const where of [{ address: "a" }, { nothing: "x" }, { id: "abc" }, { id: "01" }, { version: 0 }]) {
        expect(await idsWhere(where)).toEqual([]);
      }
      expect(await idsWhere({ createdAt: "yesterday" })).toEqual([]);
    });

    test("apply to id, version, createdAt and updatedAt", async () => {
      const { createdAt, updatedAt } = await users.get(1);
      expect(await idsWhere({ createdAt, updatedAt, id: 1 })).toEqual([1]);
      expect(await idsWhere({ version: 1 })).toHaveLength(6);
      expect(await idsWhere({ version: 2 })).toEqual([]);
    });
  });

  describe("pages", () => {
    test("link to the next and the first page, with all other parameters", async () => {
      const seen: number[] = [];
      let next: string | undefined = "/api/users?sort=-name&limit=2&q=a";
      while (next) {
        const response = await service.call(next);
        seen.push(...idsOf(await response.json()));
        const first = linkOf(response, "first");
        if (first) expect(first).toBe(`${service.url}/api/users?sort=-name&limit=2&q=a`);
        next = linkOf(response, "next");
        if (next) expect(next).toMatch(/\/api\/users\?sort=-name&limit=2&q=a&after=[^&]+$/);
      }
      expect(seen).toEqual([5, 2, 4]);
    });

    test("have no Link header if all users fit on one", async () => {
      expect((await service.call("/api/users?limit=6")).headers.get("link")).toBeNull();
      expect((await service.call("/api/users?limit=5")).headers.get("link")).toContain('rel="next"');
    });

    test("skip `offset` users, then continue by cursor", async () => {
      expect(await ids({ offset: 4 })).toEqual([5, 6]);
      expect(await ids({ offset: 6 })).toEqual([]);
      const response = await service.call("/api/users?offset=1&limit=2&sort=-id");
      expect(idsOf(await response.json())).toEqual([5, 4]);
      const rest = await service.call(linkOf(response, "next") ?? "");
      expect(idsOf(await rest.json())).toEqual([3, 2]);
    });

    test("end after the last user, at any offset and wherever a cursor says that they begin", async () => {
      const paths = ["offset=10000000&sort=-name", "after=1.9999999999.id", "q=ada&offset=10000000"];
      for (const path of paths) {
        const response = await service.call(`/api/users?count=true&${path}`);
        expect([path, response.status, await response.json()]).toEqual([path, 200, []]);
        expect(linkOf(response, "next")).toBeUndefined();
        expect(response.headers.get("x-total-count")).toBe(path.startsWith("q=") ? "2" : "6");
      }
      const response = await service.call("/api/users?offset=10000000&limit=3");
      expect(linkOf(response, "prev")).toEndWith("/api/users?limit=3&offset=9999997");
    });

    test("continue after names whose folded text is long", async () => {
      const other = await startService({}, engine);
      for (let i = 0; i < 3; i++) await other.roster.users.create({ name: "ﷺ".repeat(200) });
      const { next = "" } = await other.roster.users.list({ sort: "name", limit: 2 }).page();
      const rest = await other.roster.users.list({ sort: "name", limit: 2, after: next }).page();
      expect(idsOf(rest.users)).toEqual([3]);
      await other.stop();
    });

    test("return each user once, for any page size and order", async () => {
      const sorts = columnFields.flatMap((field) => [field, `-${field}`] as const);
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...sorts), fc.integer({ min: 1, max: 7 }), async (sort, limit) => {
          const seen = await users.list({ sort, limit }).all();
          expect(idsOf(seen)).toEqual(await ids({ sort }));
        }),
        { numRuns: 40 },
      );
    });
  });

  describe("count", () => {
    const exactly = (count: number) => ({ count, capped: false });
    const total = async (options: ListOptions) =>
      (await users.list({ limit: 1, ...options }).page({ count: true })).total;

    test("is exact for filtered and unfiltered lists", async () => {
      expect(await total({})).toEqual(exactly(6));
      expect(await total({ where: { department: "engines" } })).toEqual(exactly(2));
      expect(await total({ q: "ada" })).toEqual(exactly(2));
      expect(await total({ q: "lovel", where: { department: "engines" } })).toEqual(exactly(1));
      expect(await total({ where: { department: "nowhere" } })).toEqual(exactly(0));
    });

    test("does not depend on the page", async () => {
      expect(await total({ offset: 5 })).toEqual(exactly(6));
    });

    test("is absent unless requested", async () => {
      expect((await users.list().page()).total).toBeUndefined();
      expect((await service.call("/api/users?count=false")).headers.get("x-total-count")).toBeNull();
    });
  });

  describe("without users", () => {
    let empty: TestService;
    beforeAll(async () => {
      empty = await startService({}, engine);
    });
    afterAll(() => empty.stop());

    test.each([
      [{ q: "ada" }],
      [{ q: "ada lovelace", sort: "-name" }],
      [{ q: "ad" }],
      [{ filter: 'name sw "ada"' }],
      [{ filter: 'department co "a" and level gt 3' }],
      [{ where: { email: "ada@example.com" } }],
    ] satisfies [ListOptions][])("a list by %j is empty, with and without a count", async (options) => {
      const list = empty.roster.users.list(options);
      expect((await list.page()).users).toEqual([]);
      const counted = await list.page({ count: true });
      expect([counted.users, counted.total]).toEqual([[], { count: 0, capped: false }]);
    });
  });
});
