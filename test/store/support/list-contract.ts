import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Json } from "../../../src/contract/json.ts";
import { ProblemError } from "../../../src/domain/problem-error.ts";
import type { Store } from "../../../src/domain/store.ts";
import { type UserListQuery, userListFields } from "../../../src/domain/users/user-list-fields.ts";
import { until } from "../../support/until.ts";
import { expectExplained } from "./explain-contract.ts";
import { arbitraryQuery, sampleRecords } from "./list-queries.ts";
import { readAllPages } from "./read-all-pages.ts";
import { createSampleGroups, sampleGroupIds, withSampleGroups } from "./sample-groups.ts";
import { expectedList } from "./store-model.ts";
import { allUsers, type OpenStore, rowsOf, type StoreUnderTest } from "./store-under-test.ts";

/** How long to compare lists, for each store. Without LIST_SECONDS, a fixed number of lists. */
const SECONDS = Number(process.env.LIST_SECONDS ?? 0);
const amount =
  SECONDS > 0
    ? { numRuns: Number.MAX_SAFE_INTEGER, interruptAfterTimeLimit: SECONDS * 1000 }
    : { numRuns: 4 };
/** Lists that are compared at the same time. */
const CONCURRENT_LISTS = 10;

/** Users of one batch have the same times, and some batches have more users than others. */
async function createSamples(store: Store): Promise<void> {
  const records = sampleRecords();
  for (let size = 1; records.length > 0; size = (size % 20) + 1) {
    const created = await Promise.all(
      records.splice(0, size).map((record) => store.users.create({ record })),
    );
    for (const { outcome } of created) if ("problem" in outcome) throw ProblemError.of(outcome.problem);
  }
  for (let first = 3; first <= 150; first += 20) {
    const ids = [first, first + 4, first + 8, first + 12, first + 16].filter((id) => id <= 150);
    await Promise.all(ids.map((id) => store.users.edit(id, { merge: { edited: true } })));
  }
  await createSampleGroups(
    store,
    Array.from({ length: 150 }, (_, i) => i + 1),
  );
  await Promise.all(Array.from({ length: 15 }, (_, i) => store.users.remove(10 * (i + 1))));
}

export function listContract(engine: string, open: OpenStore): void {
  describe(`${engine}: lists`, () => {
    // The wide store examines all users in one list. The narrow one stops after a few and continues on the next page.
    const stores = new Map<string, StoreUnderTest>();
    beforeAll(async () => {
      for (const [name, maxCandidates] of [
        ["wide", undefined],
        ["narrow", 7],
      ] as const)
        stores.set(name, await open(maxCandidates));
      await Promise.all([...stores.values()].map(({ store }) => createSamples(store)));
    });
    afterAll(async () => {
      for (const opened of stores.values()) await opened.destroy();
    });

    const readAll = (store: Store, query: UserListQuery) => readAllPages(store.users, userListFields, query);

    for (const breadth of ["wide", "narrow"]) {
      test(
        `returns each user once and in order for any sort, filter, search and page size (${breadth})`,
        async () => {
          const { store } = stores.get(breadth) ?? (await open());
          const all = withSampleGroups(await readAll(store, { ...allUsers, limit: 1000 }));
          expect(all).toHaveLength(135);
          const compare = async (query: UserListQuery) => {
            const expected = expectedList(all, query).slice(query.offset);
            const found = await readAll(store, query);
            expect(found.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
            const { total } = await store.users.list({ ...query, limit: 1, count: true });
            const size = expectedList(all, query).length;
            if (!total?.capped) expect(total?.count).toBe(size);
            else expect(total.count).toBeLessThanOrEqual(size);
            const idsOf = (part: Partial<UserListQuery>) =>
              expectedList(all, { ...query, ...part }).map(({ id }) => id);
            const order = idsOf({ filters: [], search: undefined });
            await expectExplained(store.users, query, { matching: idsOf({}), order });
          };
          const queries = fc.array(arbitraryQuery(all, sampleGroupIds), {
            minLength: CONCURRENT_LISTS,
            maxLength: CONCURRENT_LISTS,
          });
          await fc.assert(
            fc.asyncProperty(queries, async (lists) => {
              await Promise.all(lists.map(compare));
            }),
            amount,
          );
        },
        120_000 + 2000 * SECONDS,
      );
    }

    test("finds the page at any offset, also past the end, although one round skips only a few users", async () => {
      const { store } = stores.get("narrow") ?? (await open());
      const all = await readAll(store, { ...allUsers, limit: 1000 });
      const path = [{ name: "level" }];
      const conditions: Partial<UserListQuery>[] = [
        {},
        { filters: [{ kind: "custom", field: "department", values: ["sales", "engines"] }] },
        { search: ["ada"] },
        { expression: { kind: "not", operand: { kind: "compare", path, operator: "eq", value: 4 } } },
      ];
      const sorts = ["id", "name", "email", { custom: "level" }] as const;
      const lists = conditions.flatMap((condition) =>
        sorts.flatMap((sort) =>
          [false, true].map((descending) => ({ ...allUsers, ...condition, sort, descending, limit: 4 })),
        ),
      );
      for (const list of lists) {
        const expected = expectedList(all, list).map(({ id }) => id);
        for (const offset of [36, expected.length - 1, 10_000_000]) {
          const found: number[] = [];
          let from: UserListQuery["from"];
          // On a busy machine, the time of a list may end before its page is full.
          do {
            const page = await store.users.list({ ...list, offset, limit: 4 - found.length, from });
            found.push(...rowsOf(page).map(({ id }) => id));
            from = page.next;
          } while (from && found.length < 4);
          expect({ list, offset, found }).toEqual({
            list,
            offset,
            found: expected.slice(offset, offset + 4),
          });
        }
      }
    }, 60_000);

    test("ends after its last user, wherever a cursor says that a page begins", async () => {
      for (const { store } of stores.values()) {
        const positions = [
          { sort: "id", from: { key: null, id: 1, skip: Number.MAX_SAFE_INTEGER } },
          { sort: "name", from: { key: "a", id: 1, skip: 999_999_999 } },
          { sort: "email", descending: true, from: { key: "z", id: 1, skip: 999_999_999 } },
          { sort: { custom: "level" }, from: { key: null, id: 1, skip: 999_999_999 } },
        ] as const;
        for (const position of positions)
          expect(await readAll(store, { ...allUsers, ...position })).toEqual([]);
      }
    });

    test("finds users whose array has a value in several spellings, although a round ends between these", async () => {
      const opened = await open(7);
      const { users } = opened.store;
      const isMatch = (id: number) => id % 37 === 0;
      const records = Array.from({ length: 300 }, (_, i) => ({
        name: "Ada",
        tags: isMatch(i + 1) ? ["A", "a"] : ["A"],
      }));
      await users.import(records.map((record) => ({ json: JSON.stringify(record) })));
      const filters = [{ kind: "custom", field: "tags", values: ["a"] }] as const;
      for (const descending of [false, true])
        for (const limit of [1, 2, 3, 4, 5]) {
          const found = await readAll(opened.store, { ...allUsers, filters, descending, limit });
          const ids = found.map(({ id }) => id);
          expect({ descending, limit, ids: descending ? ids.toReversed() : ids }).toEqual({
            descending,
            limit,
            ids: [37, 74, 111, 148, 185, 222, 259, 296],
          });
        }
      await opened.destroy();
    });

    test("fills the first page in any order, although one round of work finds only a part", async () => {
      const { store } = stores.get("narrow") ?? (await open());
      const all = await readAll(store, { ...allUsers, limit: 1000 });
      const filters = [{ kind: "custom", field: "edited", values: ["true"] }] as const;
      for (const sort of ["id", "name", "email", "createdAt"] as const) {
        const query = { ...allUsers, sort, filters, limit: 30 };
        const expected = expectedList(all, query).map(({ id }) => id);
        expect(expected.length).toBeGreaterThan(30);
        // On a busy machine, the time of a list may end before its page is full.
        await until(async () => {
          const found = rowsOf(await store.users.list(query)).map(({ id }) => id);
          expect(found).toEqual(expected.slice(0, found.length));
          return found.length === 30;
        });
      }
    });

    test("returns users without the sort field once, on every page of a list that was requested before", async () => {
      const { store } = stores.get("wide") ?? (await open());
      const query = { ...allUsers, sort: { custom: "edited" }, limit: 20 };
      // The second time, the list is remembered.
      for (let repeated = 0; repeated < 2; repeated++) {
        const ids = (await readAll(store, query)).map(({ id }) => id);
        expect(new Set(ids).size).toBe(135);
        expect(ids).toHaveLength(135);
      }
    });

    test("finds users with new kinds of values in lists that were requested before", async () => {
      const { store, destroy } = await open();
      const create = async (team: Json) => {
        const { outcome } = await store.users.create({
          record: { name: `Ada ${JSON.stringify(team).length}`, team },
        });
        if ("problem" in outcome) throw ProblemError.of(outcome.problem);
      };
      const filters = [{ kind: "custom", field: "team", values: ["3"] }] as const;
      const path = [{ name: "team" }];
      const lists: Partial<UserListQuery>[] = [
        { filters },
        { filters, sort: "name" },
        { filters, sort: { custom: "team" }, descending: true },
        { filters, search: ["ada"] },
        { expression: { kind: "compare", path, operator: "eq", value: 3 } },
        { expression: { kind: "compare", path, operator: "ge", value: 3 }, sort: "email" },
      ];
      for (let i = 0; i < 30; i++) await create(i % 3);
      const expected: number[] = [];
      const compare = async () => {
        for (const list of lists) {
          const query = { ...allUsers, ...list };
          // Text is not a number in an expression, and an element is.
          const ids = list.expression ? expected.filter((id) => id !== 33) : expected;
          const found = rowsOf(await store.users.list(query)).map(({ id }) => id);
          expect([list, ...found.sort((a, b) => a - b)]).toEqual([list, ...ids]);
        }
      };
      const others = Array.from({ length: 400 }, () => -1);
      for (const team of [3, 3, "3", [3], [...others, 3], { in: 3 }]) {
        // Often enough for each thread to remember the list.
        for (let repeated = 0; repeated < 3; repeated++) await compare();
        await create(team);
        if (typeof team !== "object" || Array.isArray(team)) expected.push(31 + expected.length);
        await compare();
      }
      await destroy();
    });

    test("limits a page of large users by bytes, and continues on the next page", async () => {
      const { store, destroy } = await open();
      // Sizes vary: the first users do not predict the later ones, and one user is larger than a page.
      const sizes = Array.from({ length: 400 }, (_, i) =>
        i < 150 ? 16_000 : i === 300 ? 1_500_000 : i * 20,
      );
      const creates = sizes.map((size, i) =>
        store.users.create({
          record: {
            name: `Large ${i % 40}`,
            team: "red",
            ...(i % 3 && { email: `l${i}@x.io` }),
            bulk: ["x".repeat(size)],
          },
        }),
      );
      await Promise.all(creates);
      const all = await readAll(store, { ...allUsers, limit: 1 });
      expect(all).toHaveLength(400);
      const queries: Partial<UserListQuery>[] = [
        ...(["id", "name", "email", "createdAt"] as const).flatMap((sort) => [
          { sort },
          { sort, descending: true },
        ]),
        { offset: 200 },
        { search: ["large"] },
        { filters: [{ kind: "custom", field: "team", values: ["red"] }], sort: "name" },
      ];
      await Promise.all(
        queries.map(async (change) => {
          const query = { ...allUsers, limit: 1000, ...change };
          const found = await readAll(store, query);
          const expected = expectedList(all, query).slice(query.offset);
          expect(found.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
        }),
      );
      await destroy();
    }, 120_000);

    test("returns each lasting user exactly once while other users are created and deleted", async () => {
      const { store } = stores.get("wide") ?? (await open());
      const lasting = await readAll(store, { ...allUsers, limit: 1000 });
      for (const sort of ["id", "name", "email", "createdAt"] as const) {
        for (const descending of [false, true]) {
          const seen: number[] = [];
          let from: UserListQuery["from"];
          const temporary: number[] = [];
          do {
            const page = await store.users.list({ ...allUsers, sort, descending, limit: 10, from });
            seen.push(...rowsOf(page).map(({ id }) => id));
            from = page.next;
            const { outcome } = await store.users.create({
              record: { name: `Zz${seen.length} Passing`, email: `p${seen.length}${sort}${descending}@x.io` },
            });
            if ("user" in outcome) temporary.push(outcome.user.id);
            const removed = temporary.length > 2 ? temporary.shift() : undefined;
            if (removed !== undefined) await store.users.remove(removed);
          } while (from);
          for (const { id } of lasting) expect(seen.filter((seenId) => seenId === id)).toHaveLength(1);
          for (const id of temporary) await store.users.remove(id);
        }
      }
    });
  });
}
