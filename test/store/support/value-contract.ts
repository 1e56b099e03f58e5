import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Json } from "../../../src/contract/json.ts";
import type { Store } from "../../../src/domain/store.ts";
import { expectedList, type ModelRow } from "./store-model.ts";
import { allUsers, type OpenStore, rowsOf, type StoreUnderTest } from "./store-under-test.ts";

const long = "Lange Straße ".repeat(30);
/** More elements than the index of values holds for a user. */
const many = Array.from({ length: 300 }, (_, i) => i);
const values: readonly Json[] = [
  "oslo",
  "Oslo",
  "OSLO",
  "",
  3,
  "3",
  -0.5,
  true,
  "true",
  null,
  "null",
  "2024-02-29",
  long,
  long.toUpperCase(),
  `${long}!`,
  { oslo: "oslo", list: ["Oslo"] },
  { list: many },
  [],
  ["oslo", "Oslo", "oslo"],
  ["Oslo", 3, "3"],
  [3, null, [true, "3", { oslo: "OSLO" }]],
  [...many, "Oslo", [-0.5, "null"]],
  [...many.slice(0, 255)],
  [{ ["x".repeat(250)]: "oslo" }, "oslo", long],
];
const texts = ["oslo", "Oslo", "OSLO", "", "3", "299", "-0.5", "true", "null", "2024-02-29"].concat(
  long,
  long.toUpperCase(),
  `${long}!`,
);

/** As many values as a filter can have. */
const hundred = Array.from({ length: 100 }, (_, i) => String(i - 50));

/** Plain filters on custom fields, whatever values the fields had before. */
export function valueContract(engine: string, open: OpenStore): void {
  describe(`${engine}: values of custom fields`, () => {
    let opened: StoreUnderTest;
    let store: Store;
    beforeAll(async () => {
      opened = await open();
      store = opened.store;
    });
    afterAll(() => opened.destroy());

    const find = async (field: string, chosen: readonly string[]) => {
      const filters = [{ kind: "custom", field, values: chosen }] as const;
      const page = await store.users.list({ ...allUsers, filters, count: true });
      const ids = rowsOf(page).map(({ id }) => id);
      expect(page.total).toEqual({ count: ids.length, capped: false });
      return ids;
    };

    const expectFilters = async () => {
      const all: ModelRow[] = rowsOf(await store.users.list(allUsers));
      const lists = [...texts.map((text) => [text]), ["Oslo", "3", "OSLO"], texts, hundred];
      await Promise.all(
        lists.map(async (chosen) => {
          const filters = [{ kind: "custom", field: "value", values: chosen }] as const;
          const expected = expectedList(all, { ...allUsers, filters }).map(({ id }) => id);
          expect({ chosen, found: await find("value", chosen) }).toEqual({ chosen, found: expected });
        }),
      );
    };

    test("are found by their exact text, after any edits and removals", async () => {
      const ids = await Promise.all(
        values.map(async (value, index) => {
          const { outcome } = await store.users.create({ record: { name: `Value ${index}`, value } });
          if ("problem" in outcome) throw new Error(outcome.problem.type);
          return outcome.user.id;
        }),
      );
      await expectFilters();
      const edits = fc.array(fc.tuple(fc.constantFrom(...ids), fc.constantFrom(...values)), {
        minLength: 10,
        maxLength: 30,
      });
      await fc.assert(
        fc.asyncProperty(edits, async (changes) => {
          await Promise.all(
            changes.map(([id, value]) => store.users.edit(id, { replace: { name: "Edited", value } })),
          );
          await expectFilters();
        }),
        { numRuns: 8 },
      );
      await Promise.all(ids.map((id) => store.users.remove(id)));
      for (const text of texts) expect(await find("value", [text])).toEqual([]);
    }, 120_000);

    test("are found by a new spelling only, when an edit changes nothing else", async () => {
      const { outcome } = await store.users.create({
        record: { name: "Ada", city: "Oslo", tags: ["Vip", 1] },
      });
      if ("problem" in outcome) throw new Error(outcome.problem.type);
      const { id } = outcome.user;
      await store.users.edit(id, { merge: { city: "OSLO", tags: ["vip", 1] } });
      expect(await find("city", ["OSLO"])).toEqual([id]);
      expect(await find("city", ["Oslo", "oslo"])).toEqual([]);
      expect(await find("tags", ["vip"])).toEqual([id]);
      expect(await find("tags", ["Vip"])).toEqual([]);
      expect(await find("tags", ["1", "vip"])).toEqual([id]);
    });
  });
}
