import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Fields, UserInput } from "../../src/client/index.ts";
import { onEachEngine } from "../support/engines.ts";
import { startService, type TestService } from "../support/service.ts";

const records: UserInput[] = [
  { name: "Ada", email: "ada@example.com", level: 3, team: "Sales", active: true, tags: ["vip", "New"] },
  { name: "Bob", level: "high", team: "sales", active: false, tags: [], address: { city: "Oslo" } },
  { name: "Cem", level: -0.5, team: "Ärzte", tags: "solo", notes: null, empty: [] },
  { name: "Dee", level: [12, "low", [7]], phones: [{ type: "work", value: "1" }], level2: 1, LEVEL: 2 },
  { name: "Eve", level: 1e15, team: "straße", note: "x".repeat(251), deep: [[["inside"]]] },
  { name: "Fay", level: null, team: "STRASSE", note: "y".repeat(250), mixed: ["Z", true, null, { a: 1 }] },
  { name: "Gus", level: { min: 1 }, team: "\u{10ffff}x", mixed: "z", address_2: "q" },
];

onEachEngine((engine) => {
  let service: TestService;
  let fields: Fields;
  beforeAll(async () => {
    service = await startService({}, engine);
    fields = service.roster.fields;
    for (const record of records) await service.roster.users.create(record);
  });
  afterAll(() => service.stop());

  test("lists the custom fields with the types of their values, by name", async () => {
    expect(await fields.list()).toEqual([
      { name: "LEVEL", types: ["number"] },
      { name: "active", types: ["boolean"] },
      { name: "address", types: ["object"] },
      { name: "address_2", types: ["string"] },
      { name: "deep", types: ["array"] },
      { name: "level", types: ["number", "string", "null", "object", "array"] },
      { name: "level2", types: ["number"] },
      { name: "mixed", types: ["string", "array"] },
      { name: "note", types: ["string"] },
      { name: "notes", types: ["null"] },
      { name: "phones", types: ["array"] },
      { name: "tags", types: ["string", "array"] },
      { name: "team", types: ["string"] },
    ]);
  });

  describe("values", () => {
    test("come in order: numbers, texts, booleans; each once, elements of arrays included", async () => {
      expect(await fields.values("level")).toEqual([-0.5, 3, 7, 12, 1e15, "high", "low"]);
      expect(await fields.values("active")).toEqual([false, true]);
      expect(await fields.values("tags")).toEqual(["New", "solo", "vip"]);
      expect(await fields.values("deep")).toEqual(["inside"]);
    });

    test("have the spelling of the oldest user if they differ only in case, and scalars go before elements", async () => {
      expect(await fields.values("team")).toEqual(["Sales", "straße", "Ärzte", "\u{10ffff}x"]);
      expect(await fields.values("mixed")).toEqual(["z", true]);
    });

    test("start with the prefix, without regard to case", async () => {
      expect(await fields.values("team", { prefix: "S" })).toEqual(["Sales", "straße"]);
      expect(await fields.values("team", { prefix: "STRASS" })).toEqual(["straße"]);
      expect(await fields.values("team", { prefix: "sales" })).toEqual(["Sales"]);
      expect(await fields.values("team", { prefix: "är" })).toEqual(["Ärzte"]);
      expect(await fields.values("team", { prefix: "\u{10ffff}" })).toEqual(["\u{10ffff}x"]);
      expect(await fields.values("team", { prefix: "salesman" })).toEqual([]);
      expect(await fields.values("level", { prefix: "3" })).toEqual([]);
      expect(await fields.values("team", { prefix: "ﬃ".repeat(100) })).toEqual([]);
    });

    test("leave out texts of more than 250 characters", async () => {
      expect(await fields.values("note")).toEqual(["y".repeat(250)]);
    });

    test("are empty for a field that no user has, and for one without scalars", async () => {
      for (const name of ["nothing", "notes", "empty", "address", "phones", "leve"]) {
        expect(await fields.values(name)).toEqual([]);
      }
    });

    test("follow changes and deletions of users", async () => {
      const { id } = await service.roster.users.create({ name: "Hal", temporary: "b", team: "ada" });
      expect(await fields.values("temporary")).toEqual(["b"]);
      await service.roster.users.update(id, { temporary: ["a", "c"] });
      expect(await fields.values("temporary")).toEqual(["a", "c"]);
      await service.roster.users.delete(id);
      expect(await fields.values("temporary")).toEqual([]);
      expect((await fields.list()).map(({ name }) => name)).not.toContain("temporary");
    });
  });

  describe("values with counts", () => {
    const counts = async (name: string, prefix = "") =>
      (await fields.countValues(name, { prefix })).map(({ value, count }) => [value, count]);

    test("count users in any spelling, once each, elements of arrays included", async () => {
      expect(await counts("team")).toEqual([
        ["Sales", 2],
        ["straße", 2],
        ["Ärzte", 1],
        ["\u{10ffff}x", 1],
      ]);
      expect(await counts("tags")).toEqual([
        ["New", 1],
        ["solo", 1],
        ["vip", 1],
      ]);
      expect(await counts("mixed")).toEqual([
        ["z", 2],
        [true, 1],
      ]);
      expect(await counts("active")).toEqual([
        [false, 1],
        [true, 1],
      ]);
      expect(await counts("team", "STR")).toEqual([["straße", 2]]);
      expect(await counts("nothing")).toEqual([]);
      const { id } = await service.roster.users.create({ name: "Hal", team: ["sales", "SALES", "Sales"] });
      expect(await counts("team", "sales")).toEqual([["Sales", 3]]);
      await service.roster.users.delete(id);
    });

    test("have the values of the list without counts, which is the default", async () => {
      const read = async (query: string) => (await service.call(`/api/fields/team/values${query}`)).json();
      expect(await read("?counts=false")).toEqual(await read(""));
      expect(await read("?counts=true&prefix=s")).toEqual([
        { value: "Sales", count: 2, capped: false },
        { value: "straße", count: 2, capped: false },
      ]);
    });

    test("stop at a limit that is smaller for many values, and say so", async () => {
      const { roster } = service;
      const others = Array.from({ length: 99 }, (_, index) => index + 2);
      const lines = Array.from({ length: 1001 }, () => ({ name: "Ian", zzzCrowd: 1, zzzPair: "a" }));
      await roster.users.import([...lines, { name: "Ivy", zzzCrowd: others, zzzPair: "b" }]).summary();
      const [first, ...rest] = await fields.countValues("zzzCrowd");
      expect(first).toEqual({ value: 1, count: 1000, capped: true });
      expect(rest).toEqual(others.map((value) => ({ value, count: 1, capped: false })));
      expect(await counts("zzzPair")).toEqual([
        ["a", 1001],
        ["b", 1],
      ]);
    });
  });

  test("lists 1,000 fields and 100 values at most", async () => {
    const names = Array.from({ length: 1100 }, (_, i) => `zz${String(i).padStart(4, "0")}`);
    for (let start = 0; start < names.length; start += 220) {
      const custom = Object.fromEntries(names.slice(start, start + 220).map((name) => [name, 1]));
      await service.roster.users.create({ name: "Ida", ...custom });
    }
    const listed = await fields.list();
    expect(listed).toHaveLength(1000);
    expect(listed.at(-1)).toEqual({ name: names[1000 - 13 - 1] ?? "", types: ["number"] });

    const many = Array.from({ length: 250 }, (_, i) => 250 - i);
    await service.roster.users.create({ name: "Jon", many });
    await service.roster.users.create({ name: "Kim", many: 0.5 });
    expect(await fields.values("many")).toEqual([0.5, ...many.toReversed().slice(0, 99)]);
  });

  test("finds short texts among long ones", async () => {
    const texts = Array.from({ length: 150 }, (_, i) => `${String(i).padStart(3, "0")}${"x".repeat(300)}`);
    const lines = [...texts, "zulu"].map((text) => ({ name: "Lea", bio: text }));
    await service.roster.users.import(lines).summary();
    expect(await fields.values("bio")).toEqual(["zulu"]);
  });

  test("rejects fields that are not custom fields, and invalid names", async () => {
    for (const name of [
      "name",
      "email",
      "id",
      "version",
      "createdAt",
      "updatedAt",
      "a.b",
      "1a",
      "%01",
      "a-b",
    ]) {
      const response = await service.call(`/api/fields/${name}/values`);
      expect([response.status, (await response.json()).type]).toEqual([404, "/problems/field-not-found"]);
    }
  });

  test("rejects unknown, repeated and invalid parameters", async () => {
    const queries = ["/api/fields?limit=1", "/api/fields/team/values?q=a"].concat(
      [
        "prefix=a&prefix=b",
        `prefix=${"a".repeat(101)}`,
        "prefix=%ff",
        "prefix=a%00",
        "counts=1",
        "counts=true&counts=true",
      ].map((query) => `/api/fields/team/values?${query}`),
    );
    for (const path of queries) {
      const response = await service.call(path);
      expect([path, response.status, (await response.json()).type]).toEqual([
        path,
        400,
        "/problems/invalid-query",
      ]);
    }
  });
});
