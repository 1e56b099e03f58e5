import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { ListOptions, Users } from "../../../src/client/index.ts";
import { listLimits } from "../../../src/contract/listing.ts";
import type { ProblemDocument } from "../../../src/contract/problems.ts";
import { onEachEngine } from "../../support/engines.ts";
import { startService, type TestService } from "../../support/service.ts";

const records = [
  { name: "a", level: 10, address: { city: "Oslo" } },
  { name: "b", level: "3", address: { city: "bergen" } },
  { name: "c" },
  { name: "d", level: 2.5, address: ["x"] },
  { name: "e", level: null, address: { city: 7 } },
  { name: "f", level: true, address: { "post code": "1" } },
  { name: "g", level: -1 },
  { name: "h", level: "B", address: { city: "OSLO" } },
  { name: "i", level: false },
  { name: "j", level: { deep: 1 } },
  { name: "k", level: [1] },
  { name: "l", level: "a" },
  { name: "m", level: 10 },
];
const ascending = [7, 4, 1, 13, 2, 12, 8, 9, 6];
const withoutValue = [3, 5, 10, 11];

onEachEngine((engine) => {
  let service: TestService;
  let users: Users;
  beforeAll(async () => {
    service = await startService({}, engine);
    users = service.roster.users;
    for (const record of records) await users.create(record);
  });
  afterAll(() => service.stop());

  const ids = async (options: ListOptions) => (await users.list(options).all()).map(({ id }) => id);

  describe("sort by a custom field", () => {
    test("sorts numbers, then text without regard to case, then booleans, ties by id, the rest last", async () => {
      expect(await ids({ sort: "level" })).toEqual([...ascending, ...withoutValue]);
    });

    test("reverses the order and the ids, and puts users without a value last too", async () => {
      expect(await ids({ sort: "-level" })).toEqual([
        ...ascending.toReversed(),
        ...withoutValue.toReversed(),
      ]);
    });

    test("reaches into objects", async () => {
      expect((await ids({ sort: "address.city" })).slice(0, 4)).toEqual([5, 2, 1, 8]);
      expect((await ids({ sort: '-address."post code"' }))[0]).toBe(6);
    });

    test("sorts by a field that nobody has like by id", async () => {
      const all = records.map((_, index) => index + 1);
      expect(await ids({ sort: "nothing" })).toEqual(all);
      expect(await ids({ sort: "-nothing.at.all" })).toEqual(all.toReversed());
    });

    test("accepts every JSON string as a name", async () => {
      for (const name of ["\\u0000", "\\ud800", "a.b", "~", "", "😀", "\\n"]) {
        const sort = `-address."${name}"`;
        expect(await ids({ sort, limit: 5 })).toEqual(records.map((_, index) => records.length - index));
        const { users: found } = await users.list({ fields: ["name", `address."${name}"`], limit: 1 }).page();
        expect(found).toEqual([{ id: 1, name: "a", address: {}, version: 1 }]);
      }
    });

    test("returns each user once, in the same order, for any page size, offset and filter", async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.constantFrom("level", "-level", "address.city", "-address.city", "nothing"),
          fc.integer({ min: 1, max: 14 }),
          fc.nat(14),
          fc.constantFrom(undefined, "level pr", 'name ge "f"'),
          async (sort, limit, offset, filter) => {
            const whole = await ids({ sort, filter });
            expect(await ids({ sort, filter, limit, offset })).toEqual(whole.slice(offset));
          },
        ),
        // The example ends at a user that is the last of a chunk.
        { numRuns: 40, examples: [["-level", 1, 7, 'name ge "f"']] },
      );
    });

    test("rejects the cursor of another order", async () => {
      const { next = "" } = await users.list({ sort: "level", limit: 2 }).page();
      for (const sort of ["-level", "address.city", "id", "name"]) {
        expect((await service.call(`/api/users?sort=${sort}&after=${next}`)).status).toBe(400);
      }
    });

    test.each([
      "",
      "-",
      "a..b",
      "level,name",
      "+level",
      'a."b',
      "level desc",
      "x".repeat(listLimits.sortCharacters + 1),
    ])("rejects %p", async (sort) => {
      const response = await service.call(`/api/users?sort=${encodeURIComponent(sort)}`);
      expect(response.status).toBe(400);
      const { errors = [] }: ProblemDocument = await response.json();
      expect(errors).toMatchObject([{ parameter: "sort" }]);
      expect(errors[0]?.detail).toStartWith(
        "Use id, name, email, version, createdAt, updatedAt or a custom field",
      );
    });
  });

  test("sort by version sorts by the number of changes", async () => {
    await users.update(4, { note: 1 });
    expect((await ids({ sort: "-version" }))[0]).toBe(4);
    expect((await ids({ sort: "version" })).at(-1)).toBe(4);
  });
});
