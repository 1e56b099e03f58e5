import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { and, field, fieldsOf, not, or } from "../../../src/client/filter.ts";
import type { ListOptions, User, Users } from "../../../src/client/index.ts";
import { filterLimits } from "../../../src/contract/listing.ts";
import type { ProblemDocument } from "../../../src/contract/problems.ts";
import { onEachEngine } from "../../support/engines.ts";
import { startService, type TestService } from "../../support/service.ts";

const records = [
  { name: "Zoë", email: "Zoe@Example.com", department: "Sales", level: 3, plan: "pro", hired: "2024-05-01" },
  { name: "Ada", department: "sales", level: 10, tags: ["vip", "nordic"], active: true },
  {
    name: "Linus",
    department: "engines",
    level: "3",
    plan: "",
    address: { city: "Helsinki" },
    active: false,
  },
  {
    name: "Grace",
    level: 2.5,
    tags: [],
    phones: [
      { type: "work", value: "+47 1" },
      { type: "home", value: "+1 2" },
    ],
  },
  {
    name: "Álvaro",
    plan: null,
    address: { city: "oslo", "post code": "0150" },
    phones: [{ type: "home", value: "+47 9" }],
  },
  {
    name: "Mary",
    department: "ops",
    level: { text: "x" },
    filter: "yes",
    fields: 3,
    hired: "2023-12-31T23:00:00-02:00",
  },
];

onEachEngine((engine) => {
  let service: TestService;
  let users: Users;
  beforeAll(async () => {
    service = await startService({}, engine);
    users = service.roster.users;
    for (const record of records) await users.create(record);
  });
  afterAll(() => service.stop());

  const idsOf = (listed: readonly Pick<User, "id">[]) => listed.map(({ id }) => id);
  const ids = async (options: ListOptions) => idsOf((await users.list(options).page()).users);

  describe("filter", () => {
    test.each<[string, number[]]>([
      ['department eq "SALES"', [1, 2]],
      ['department ne "sales"', [3, 4, 5, 6]],
      ["level ge 3", [1, 2]],
      ["level lt 3", [4]],
      ['level eq "3"', [3]],
      ["plan pr", [1]],
      ["plan eq null", [2, 4, 5, 6]],
      ["not (plan pr)", [2, 3, 4, 5, 6]],
      ['tags eq "VIP"', [2]],
      ['tags co "ord"', [2]],
      ["tags pr", [2]],
      ['address.city eq "Oslo"', [5]],
      ['address."post code" sw "01"', [5]],
      ['phones[type eq "work"].value sw "+47"', [4]],
      ['phones[type eq "home"]', [4, 5]],
      ['phones.value sw "+47"', [4, 5]],
      ["active eq true or active eq false", [2, 3]],
      ['email eq "zoe@example.COM"', [1]],
      ['name eq "álvaro"', [5]],
      ['name eq "alvaro"', []],
      ['name co "A"', [2, 4, 5, 6]],
      ["id le 2 and version eq 1", [1, 2]],
      ['createdAt gt "2020-01-01T00:00:00Z"', [1, 2, 3, 4, 5, 6]],
      ['hired lt "2024-01-01"', []],
      ['hired ge "2024-01-01T01:00:00Z"', [1, 6]],
      ['filter eq "yes" and fields eq 3', [6]],
      ['department eq "sales" and (level ge 5 or not (tags pr))', [1, 2]],
      ['DEPARTMENT EQ "sales"', []],
      ['department EQ "sales" AND level GE 5', [2]],
      ['nothing eq "x"', []],
    ])("%s", async (filter, expected) => {
      expect(await ids({ filter })).toEqual(expected);
    });

    test("combines with plain filters, a search, the order and the page by AND", async () => {
      expect(await ids({ filter: "level ge 3", where: { department: "sales" } })).toEqual([2]);
      expect(await ids({ filter: "level pr", q: "a", sort: "-id" })).toEqual([2]);
      expect(await ids({ filter: 'name co "a"', sort: "-name", limit: 2, offset: 1 })).toEqual([4, 5]);
      expect(idsOf(await users.list({ filter: "not (plan pr)", sort: "-name", limit: 2 }).all())).toEqual([
        6, 3, 4, 5, 2,
      ]);
    });

    test("applies to the count and to exports", async () => {
      const { total } = await users.list({ filter: 'name co "a"', limit: 1 }).page({ count: true });
      expect(total).toEqual({ count: 4, capped: false });
      const exported: number[] = [];
      for await (const { id } of users.export({ filter: 'name co "a"', sort: "-id" })) exported.push(id);
      expect(exported).toEqual([6, 5, 4, 2]);
    });

    test("is part of the links to other pages", async () => {
      const response = await service.call(`/api/users?filter=${encodeURIComponent("level pr")}&limit=1`);
      const next = /<([^>]+)>; rel="next"/.exec(response.headers.get("link") ?? "")?.[1] ?? "";
      expect(idsOf(await (await service.call(next)).json())).toEqual([2]);
    });

    test("can be built with conditions", async () => {
      const person = fieldsOf<{
        department: string;
        level: number;
        phones: { type: string; value: string }[];
      }>();
      const seller = and(
        person("department").eq("sales"),
        or(person("level").ge(5), not(person("level").pr())),
      );
      expect(await ids({ filter: seller })).toEqual([2]);
      const work = person("phones").where((phone) => phone("type").eq("work"));
      expect(await ids({ filter: work.field("value").sw("+47") })).toEqual([4]);
      expect(await ids({ filter: field(["address", "post code"]).eq("0150") })).toEqual([5]);
      expect(await ids({ filter: field("name").in(["ada", "LINUS"]) })).toEqual([2, 3]);
      expect(await ids({ filter: field("name").in([]) })).toEqual([]);
      expect(await ids({ filter: field("createdAt").gt(new Date(0)), limit: 1 })).toEqual([1]);
    });
  });

  describe("an invalid filter", () => {
    const tooMany = Array.from({ length: filterLimits.comparisons + 1 }, () => "a pr").join(" or ");
    const tooDeep = `${"(".repeat(filterLimits.levels + 1)}a pr${")".repeat(filterLimits.levels + 1)}`;
    test.each<[string, number, string]>([
      ["", 1, 'a field name, "(" or "not ("'],
      ["level", 6, "an operator"],
      ["level is 3", 7, "an operator"],
      ["level eq three", 10, "a value"],
      ['😀 eq "x"', 1, "a field name"],
      ['name eq "😀" and', 16, "a field name"],
      ["(a pr", 6, '"and", "or" or ")"'],
      [tooMany, tooMany.lastIndexOf("a pr") + 1, `at most ${filterLimits.comparisons} comparisons`],
      [tooDeep, filterLimits.levels + 1, `at most ${filterLimits.levels} levels`],
      [`a eq "${"x".repeat(filterLimits.characters)}"`, filterLimits.characters + 1, "at most"],
    ])("%# is 400 with the position and what was expected", async (filter, position, expected) => {
      for (const path of ["/api/users", "/api/users/export"]) {
        const response = await service.call(`${path}?filter=${encodeURIComponent(filter)}`);
        expect(response.status).toBe(400);
        const { type, errors = [] }: ProblemDocument = await response.json();
        expect(type).toBe("/problems/invalid-query");
        expect(errors).toHaveLength(1);
        expect(errors[0]).toMatchObject({ parameter: "filter", position });
        expect(errors[0]?.detail).toStartWith(`Character ${position}: expected ${expected}`);
      }
    });

    test("is reported together with other errors", async () => {
      const response = await service.call("/api/users?filter=x&limit=0&sort=a..b");
      const { errors = [] }: ProblemDocument = await response.json();
      expect(errors.map(({ parameter }) => parameter)).toEqual(["sort", "limit", "filter"]);
    });

    test("is 400 if it is repeated", async () => {
      expect((await service.call("/api/users?filter=a+pr&filter=b+pr")).status).toBe(400);
    });
  });
});
