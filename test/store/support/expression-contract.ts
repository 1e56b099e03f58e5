import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { UserRecord } from "../../../src/contract/users/user.ts";
import { formatExpression } from "../../../src/domain/filter/format-expression.ts";
import { decodeCursor, encodeCursor } from "../../../src/domain/lists/cursor.ts";
import type { Store } from "../../../src/domain/store.ts";
import { type UserListQuery, userListFields } from "../../../src/domain/users/user-list-fields.ts";
import { arbitraryRecord, arbitraryRewritten, takeUnique } from "../../support/filter/arbitraries.ts";
import { expectExplained } from "./explain-contract.ts";
import { customSort, expectedList, type ModelRow } from "./store-model.ts";
import { allUsers, type OpenStore, rowsOf, type StoreUnderTest } from "./store-under-test.ts";

/** How long to compare, for each engine and number of rounds. Without EXPRESSION_SECONDS, a fixed number of lists. */
const SECONDS = Number(process.env.EXPRESSION_SECONDS ?? 0);
const USERS = 60;
const BATCH = 6;
/** Users with so many values that the index does not have those in arrays and objects. */
const CROWDED_USERS = [7, 8];

export function expressionContract(engine: string, open: OpenStore): void {
  describe(`${engine}: filter expressions`, () => {
    for (const [breadth, maxCandidates] of [
      ["one round", undefined],
      ["many rounds", 7],
    ] as const) {
      describe(`in ${breadth}`, () => {
        let opened: StoreUnderTest;
        beforeAll(async () => {
          opened = await open(maxCandidates);
          // Users of one batch have the same times.
          for (let first = 0; first < USERS; first += BATCH) {
            const numbers = Array.from({ length: BATCH }, (_, index) => first + index);
            await Promise.all(
              numbers.map((i) => opened.store.users.create({ record: { name: `User ${i}` } })),
            );
          }
        });
        afterAll(() => opened.destroy());

        test(
          "find the same users as a naive evaluator, in any order, while users change",
          async () => {
            const { store } = opened;
            // Each run changes some users first, so that the index has to follow.
            const property = fc.asyncProperty(
              changes,
              fc.array(arbitraryQuery, { minLength: 10, maxLength: 10 }),
              async (edits, queries) => {
                await replaceUsers(store, edits);
                const users = await readAll(store, allUsers);
                await Promise.all(queries.map((query) => expectMatches(store, users, query)));
              },
            );
            const end = performance.now() + 1000 * SECONDS;
            do await fc.assert(property, { numRuns: 4, endOnFailure: true });
            while (performance.now() < end);
          },
          60_000 + 2000 * SECONDS,
        );
      });
    }
  });
}

const changes = fc.array(fc.tuple(fc.integer({ min: 1, max: USERS }), arbitraryRecord), {
  minLength: USERS / 2,
  maxLength: USERS / 2,
});

const arbitraryQuery: fc.Arbitrary<UserListQuery> = fc.record({
  sort: fc.oneof(fc.constantFrom("id", "name", "email", "createdAt", "updatedAt"), customSort),
  descending: fc.boolean(),
  limit: fc.oneof(fc.integer({ min: 1, max: 12 }), fc.constant(100)),
  from: fc.constant(undefined),
  offset: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.nat(10)),
  search: fc.option(fc.constantFrom(["ada"], ["a"]), { nil: undefined, freq: 8 }),
  filters: fc.oneof(
    { weight: 8, arbitrary: fc.constant([]) },
    fc
      .constantFrom("sales", "Sales", "3")
      .map((value) => [{ kind: "custom", field: "department", values: [value] } as const]),
  ),
  expression: fc.option(arbitraryRewritten, { nil: undefined, freq: 8 }),
  count: fc.constant(false),
});

async function replaceUsers(store: Store, edits: readonly [id: number, record: UserRecord][]): Promise<void> {
  const taken = new Set<string>();
  for (const user of await readAll(store, allUsers)) takeUnique(user, taken);
  const written = edits.map(([id, { email, userName, ...record }]) => {
    const unique = takeUnique({ email, userName }, taken);
    const extra = CROWDED_USERS.includes(id) ? { crowd: Array.from({ length: 300 }, (_, i) => i) } : {};
    return store.users.edit(id, { replace: { ...record, ...unique, ...extra } });
  });
  await Promise.all(written);
}

async function expectMatches(store: Store, users: readonly ModelRow[], query: UserListQuery): Promise<void> {
  const expected = expectedList(users, query);
  const found = await readAll(store, query);
  const { from, count, expression, ...shown } = query;
  const label = JSON.stringify({ ...shown, expression: expression && formatExpression(expression) });
  expect([label, ...found.map(({ id }) => id)]).toEqual([
    label,
    ...expected.slice(query.offset).map(({ id }) => id),
  ]);
  const { total } = await store.users.list({ ...query, limit: 1, count: true });
  if (total?.capped) expect(total.count).toBeLessThanOrEqual(expected.length);
  else expect([label, total?.count]).toEqual([label, expected.length]);
  const idsOf = (list: readonly ModelRow[]) => list.map(({ id }) => id);
  await expectExplained(store.users, query, {
    matching: idsOf(expected),
    // An order by a custom field begins again, for the users without a value.
    ...(typeof query.sort === "string" && {
      order: idsOf(expectedList(users, { ...query, filters: [], search: undefined, expression: undefined })),
    }),
  });
}

/** Reads the list page by page. */
async function readAll(store: Store, query: UserListQuery): Promise<ModelRow[]> {
  const found: ModelRow[] = [];
  let { from } = query;
  for (let pages = 0; pages < 2000; pages++) {
    const page = await store.users.list({ ...query, from });
    found.push(...rowsOf(page));
    if (!page.next) return found;
    from = decodeCursor(userListFields, query, encodeCursor(query, page.next));
    expect(from).toEqual(page.next);
  }
  throw new Error("There are more than 2000 pages.");
}
