import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Json } from "../../../src/contract/json.ts";
import type { UserRecord } from "../../../src/contract/users/user.ts";
import { formatExpression } from "../../../src/domain/filter/format-expression.ts";
import { foldCase, foldEmail } from "../../../src/domain/fold.ts";
import { decodeCursor, encodeCursor } from "../../../src/domain/lists/cursor.ts";
import { fieldPath } from "../../../src/domain/lists/value-index.ts";
import type { Store } from "../../../src/domain/store.ts";
import { type UserListQuery, userListFields } from "../../../src/domain/users/user-list-fields.ts";
import { arbitraryExpression, arbitraryRecord } from "../../support/filter/arbitraries.ts";
import { matchesNaively } from "../../support/filter/naive-filter.ts";
import { expectExplained } from "./explain-contract.ts";
import { expectedList, type ModelUser } from "./store-model.ts";
import { allUsers, type OpenStore, type StoreUnderTest, usersOf } from "./store-under-test.ts";

/** How long to compare, for each engine and number of rounds. Without EXPRESSION_SECONDS, a fixed number of lists. */
const SECONDS = Number(process.env.EXPRESSION_SECONDS ?? 0);
const USERS = 60;
const BATCH = 6;
/** Users with so many values that the index does not have those in arrays and objects. */
const CROWDED_USERS = [7, 8];
const sortPaths = [["level"], ["department"], ["tags"], ["address", "city"], ["address", "a.b"], ["nothing"]];

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
  sort: fc.oneof(
    fc.constantFrom("id", "name", "email", "createdAt", "updatedAt"),
    fc.constantFrom(...sortPaths).map((names) => ({ custom: fieldPath(names) })),
  ),
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
  expression: fc.option(arbitraryExpression, { nil: undefined, freq: 8 }),
  count: fc.constant(false),
});

async function replaceUsers(store: Store, edits: readonly [id: number, record: UserRecord][]): Promise<void> {
  const taken = new Set((await readAll(store, allUsers)).map(({ email }) => email && foldEmail(email)));
  const written = edits.map(([id, { email, ...record }]) => {
    const isFree = email !== undefined && !taken.has(foldEmail(email));
    if (isFree) taken.add(foldEmail(email));
    const extra = CROWDED_USERS.includes(id) ? { crowd: Array.from({ length: 300 }, (_, i) => i) } : {};
    return store.users.edit(id, { replace: { ...record, ...(isFree && { email }), ...extra } });
  });
  await Promise.all(written);
}

async function expectMatches(store: Store, users: readonly ModelUser[], query: UserListQuery): Promise<void> {
  const { expression } = query;
  const order = typeof query.sort === "string" ? {} : ({ sort: "id", descending: false } as const);
  const matching = expectedList(users, { ...query, ...order }).filter(
    (user) => !expression || matchesNaively(expression, toJson(user)),
  );
  const expected = sortNaively(matching, query);
  const found = await readAll(store, query);
  const { from, count, ...shown } = query;
  const label = JSON.stringify({ ...shown, expression: expression && formatExpression(expression) });
  expect([label, ...found.map(({ id }) => id)]).toEqual([
    label,
    ...expected.slice(query.offset).map(({ id }) => id),
  ]);
  const { total } = await store.users.list({ ...query, limit: 1, count: true });
  if (total?.capped) expect(total.count).toBeLessThanOrEqual(expected.length);
  else expect([label, total?.count]).toEqual([label, expected.length]);
  const idsOf = (list: readonly ModelUser[]) => list.map(({ id }) => id);
  await expectExplained(store, query, {
    matching: idsOf(expected),
    // An order by a custom field begins again, for the users without a value.
    ...(typeof query.sort === "string" && {
      order: idsOf(expectedList(users, { ...query, filters: [], search: undefined })),
    }),
  });
}

function toJson(user: ModelUser): { [field: string]: Json } {
  return JSON.parse(JSON.stringify(user));
}

/** Reads the list page by page. */
async function readAll(store: Store, query: UserListQuery): Promise<ModelUser[]> {
  const found: ModelUser[] = [];
  let { from } = query;
  for (let pages = 0; pages < 2000; pages++) {
    const page = await store.users.list({ ...query, from });
    found.push(...usersOf(page));
    if (!page.next) return found;
    from = decodeCursor(userListFields, query, encodeCursor(query, page.next));
    expect(from).toEqual(page.next);
  }
  throw new Error("There are more than 2000 pages.");
}

/** Numbers, then text, then booleans; then the users without such a value, in order of id. */
function sortNaively(users: ModelUser[], { sort, descending }: UserListQuery): ModelUser[] {
  if (typeof sort === "string") return users;
  const names = sortPaths.find((path) => fieldPath(path) === sort.custom) ?? [];
  const sign = descending ? -1 : 1;
  const kinds = ["number", "string", "boolean"];
  return users
    .map((user) => ({ user, value: isSorted(user, names) ? memberAt(user, names) : undefined }))
    .sort((a, b) => {
      const kindA = kinds.indexOf(typeof a.value);
      const kindB = kinds.indexOf(typeof b.value);
      if (kindA < 0 !== kindB < 0) return kindA < 0 ? 1 : -1;
      const order = kindA - kindB || (kindA < 0 ? 0 : compareScalars(a.value, b.value));
      return sign * (order || a.user.id - b.user.id);
    })
    .map(({ user }) => user);
}

/** Values in objects are not sorted if the user has too many values for the index. */
function isSorted({ crowd }: ModelUser, names: readonly string[]): boolean {
  return names.length === 1 || crowd === undefined;
}

function memberAt(value: unknown, names: readonly string[]): unknown {
  const [name, ...rest] = names;
  if (name === undefined) return value;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  return memberAt(new Map<string, unknown>(Object.entries(value)).get(name), rest);
}

/** Text is sorted by its first 256 characters. */
function compareScalars(a: unknown, b: unknown): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  if (typeof a === "boolean" && typeof b === "boolean") return Number(a) - Number(b);
  const bytes = (value: unknown) =>
    Buffer.from(
      foldCase(String(value))
        .slice(0, 256)
        .toWellFormed()
        .replace(/\ufffd$/, ""),
    );
  return Buffer.compare(bytes(a), bytes(b));
}
