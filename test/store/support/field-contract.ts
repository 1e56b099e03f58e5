import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Json } from "../../../src/contract/json.ts";
import {
  type CountedFieldValue,
  type CustomField,
  type FieldValue,
  fieldTypes,
} from "../../../src/contract/users/field-schemas.ts";
import { foldCase } from "../../../src/domain/fold.ts";
import { ProblemError } from "../../../src/domain/problem-error.ts";
import type { OpenStore, StoreUnderTest } from "./store-under-test.ts";

type Custom = Record<string, Json>;

const texts = ["a", "A", "ab", "Ärger", "ärgere", "straße", "STRASSE", "b", "\u{1f600}", "\ue000", "", "1"];
const names = ["a", "ab", "a_b", "aB", "B", "b", "z"];
const scalar: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom(...texts),
  fc.constantFrom(0, -1, 2, 10, 1.5, -1.5e-9),
  fc.boolean(),
  fc.constant(null),
);
const value: fc.Arbitrary<Json> = fc.oneof(
  scalar,
  fc.array(fc.oneof(scalar, fc.array(scalar, { maxLength: 2 })), { maxLength: 3 }),
  fc.dictionary(fc.constantFrom("a", "x", "a.b"), fc.oneof(scalar, fc.array(scalar, { maxLength: 2 })), {
    maxKeys: 2,
  }),
);

/** What `GET /api/fields` and the lists of values have to return, computed in the simplest way. */
function expectedFields(users: readonly Custom[]): CustomField[] {
  const inUse = names.toSorted().map((name) => {
    const values = users.flatMap((user) => (Object.hasOwn(user, name) ? [user[name] ?? null] : []));
    return { name, types: fieldTypes.filter((type) => values.some((value) => typeOf(value) === type)) };
  });
  return inUse.filter(({ types }) => types.length > 0);
}

function typeOf(value: Json): string {
  if (value === null) return "null";
  // Empty arrays leave no trace in the index.
  return Array.isArray(value) ? (value.flat(9).length > 0 ? "array" : "none") : typeof value;
}

function expectedValues(users: readonly Custom[], field: string, prefix: string): FieldValue[] {
  const scalars = users.flatMap((user) => [user[field] ?? null].filter((value) => !Array.isArray(value)));
  // Of the spellings in one array, the folded one comes first, and then the order of their bytes.
  const elements = users.flatMap((user) =>
    [user[field] ?? null].filter(Array.isArray).flat(9).toSorted(bySpelling),
  );
  const values = [...scalars, ...elements];
  const numbers = [...new Set(values.filter((value) => typeof value === "number"))].sort((a, b) => a - b);
  const spellings = new Map<string, string>();
  for (const text of values.filter((value) => typeof value === "string")) {
    const folded = foldCase(text);
    if (folded.startsWith(foldCase(prefix)) && !spellings.has(folded)) spellings.set(folded, text);
  }
  const inOrder = [...spellings].sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  const booleans = [false, true].filter((value) => values.includes(value));
  return prefix === ""
    ? [...numbers, ...inOrder.map(([, text]) => text), ...booleans]
    : inOrder.map(([, text]) => text);
}

/** How many users have each of the values, with any spelling, as the value or in its arrays. */
function expectedCounts(users: readonly Custom[], field: string, prefix: string): CountedFieldValue[] {
  const folded = (value: Json) => (typeof value === "string" ? foldCase(value) : value);
  const found = users.map((user) => new Set([user[field] ?? null].flat(9).map(folded)));
  return expectedValues(users, field, prefix).map((value) => ({
    value,
    count: found.filter((values) => values.has(folded(value))).length,
    capped: false,
  }));
}

function bySpelling(a: Json, b: Json): number {
  const [first, second] = [a, b].map((text) =>
    Buffer.from(text === foldCase(String(text)) ? "" : String(text)),
  );
  return Buffer.compare(first ?? Buffer.of(), second ?? Buffer.of());
}

export function fieldContract(engine: string, open: OpenStore): void {
  describe(`${engine}: custom fields`, () => {
    let opened: StoreUnderTest;
    beforeAll(async () => {
      opened = await open();
    });
    afterAll(() => opened.destroy());

    test("lists the fields of any users, and the values of each in order, with counts", async () => {
      const { store } = opened;
      const user = fc.dictionary(fc.constantFrom(...names), value, { maxKeys: 4 });
      await fc.assert(
        fc.asyncProperty(
          fc.array(user, { maxLength: 5 }),
          fc.constantFrom("", ...texts),
          async (users, prefix) => {
            const created = await Promise.all(
              users.map((custom) => store.users.create({ record: { name: "Ada", ...custom } })),
            );
            const ids = created.map(({ outcome }) => {
              if ("problem" in outcome) throw ProblemError.of(outcome.problem);
              return outcome.user.id;
            });
            const byId = users.map((custom, i) => ({ custom, id: ids[i] ?? 0 })).sort((a, b) => a.id - b.id);
            const customs = byId.map(({ custom }) => custom);
            expect(await store.users.listFields()).toEqual(expectedFields(customs));
            const values = await Promise.all(
              names.map((field) => store.users.listFieldValues(field, prefix)),
            );
            expect(values).toEqual(names.map((field) => expectedValues(customs, field, prefix)));
            const counts = await Promise.all(
              names.map((field) => store.users.countFieldValues(field, prefix)),
            );
            expect(counts).toEqual(names.map((field) => expectedCounts(customs, field, prefix)));
            await Promise.all(ids.map((id) => store.users.remove(id)));
          },
        ),
        // A run that fails leaves its users: other users would fail, too.
        { numRuns: 60, endOnFailure: true },
      );
    }, 60_000);
  });
}
