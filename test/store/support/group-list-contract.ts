import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { parseDatabase } from "../../../src/config/database-url.ts";
import { type GroupListQuery, groupListFields } from "../../../src/domain/groups/group-list-fields.ts";
import { ProblemError } from "../../../src/domain/problem-error.ts";
import type { Store } from "../../../src/domain/store.ts";
import type { UserListQuery } from "../../../src/domain/users/user-list-fields.ts";
import { compactDatabase } from "../../../src/store/compact.ts";
import { findSqliteCorruption } from "../../support/consistency/list-checks.ts";
import { findPostgresCorruption } from "../../support/consistency/postgres-corruption.ts";
import { arbitraryExpression } from "../../support/filter/arbitraries.ts";
import { pooler } from "../../support/postgres/fresh-database.ts";
import { expectExplained } from "./explain-contract.ts";
import { arbitraryQuery, sampleRecords } from "./list-queries.ts";
import { readAllPages } from "./read-all-pages.ts";
import { expectedList, type ModelRow } from "./store-model.ts";
import { allGroups, allUsers, type OpenStore, rowsOf } from "./store-under-test.ts";

/** What every engine must do with lists of groups, and with the indexes that these read. */
export function groupListContract(engine: string, open: OpenStore): void {
  describe(`${engine}: lists of groups`, () => {
    // The wide store examines all groups in one list. The narrow one stops after a few and continues on the next page.
    test.each([
      ["wide", undefined],
      ["narrow", 7],
    ] as const)(
      "have each group once and in order for any sort, filter, search and page size (%s)",
      async (_, maxCandidates) => {
        const listed = await open(maxCandidates);
        const { groups } = listed.store;
        await createSamples(listed.store);
        const readAll = (query: GroupListQuery) => readAllPages(groups, groupListFields, query);
        const all = withMembers(await readAll({ ...allGroups, limit: 1000 }));
        expect(all).toHaveLength(135);
        const compare = async (query: GroupListQuery) => {
          const expected = expectedList(all, query);
          const found = await readAll(query);
          expect(found.map(({ id }) => id)).toEqual(expected.slice(query.offset).map(({ id }) => id));
          const { total } = await groups.list({ ...query, limit: 1, count: true });
          if (!total?.capped) expect(total?.count).toBe(expected.length);
          else expect(total.count).toBeLessThanOrEqual(expected.length);
          await expectExplained(groups, query, { matching: expected.map(({ id }) => id) });
        };
        const query = fc
          .tuple(arbitraryQuery(all, memberIds), fc.option(arbitraryExpression))
          .map(([query, expression]) => ({ ...toGroupQuery(query), ...(expression && { expression }) }));
        const queries = fc.array(query, { minLength: 10, maxLength: 10 });
        const compareAll = async (lists: GroupListQuery[]) => {
          await Promise.all(lists.map(compare));
        };
        await fc.assert(fc.asyncProperty(queries, compareAll), { numRuns: 4 });
        await listed.destroy();
      },
      120_000,
    );

    test("know their exact count without a filter", async () => {
      const listed = await open();
      const { groups } = listed.store;
      const counted = async (query: Partial<GroupListQuery> = {}) =>
        (await groups.list({ ...allGroups, limit: 2, count: true, ...query })).total;
      expect(await counted()).toEqual({ count: 0, capped: false });
      await Promise.all(
        Array.from({ length: 30 }, (_, i) => groups.create({ record: { name: `Group ${i}` } })),
      );
      await listed.store.users.create({ record: { name: "Ada" } });
      await groups.remove(3);
      expect(await counted()).toEqual({ count: 29, capped: false });
      expect(await counted({ sort: "memberCount", descending: true, offset: 5 })).toEqual({
        count: 29,
        capped: false,
      });
      expect(await listed.store.stats()).toMatchObject({ users: 1, groups: 29 });
      await listed.destroy();
    });

    test("do not mix with a list of users that has the same name", async () => {
      const listed = await open();
      const { users, groups } = listed.store;
      await groups.create({ record: { name: "A group" } });
      await users.create({ record: { name: "A user" } });
      const first = { limit: 5, name: "limit=5" };
      for (let repeated = 0; repeated < 2; repeated++) {
        expect(rowsOf(await groups.list({ ...allGroups, ...first }))).toMatchObject([{ name: "A group" }]);
        expect(rowsOf(await users.list({ ...allUsers, ...first }))).toMatchObject([{ name: "A user" }]);
      }
      await listed.destroy();
    });
  });

  describe(`${engine}: indexes of groups`, () => {
    test("and their number are right after writes of several nodes, and when the database is compacted", async () => {
      const { store, engine: kind, url, openAnother, destroy } = await open();
      const other = await openAnother();
      const work = Array.from({ length: 30 }, async (_, i) => {
        const record = { name: `Index ${i}`, tags: [`tag ${i}`, i], level: i };
        const { outcome } = await (i % 2 ? store : other).groups.create({ record });
        const { id } = "group" in outcome ? outcome.group : { id: 0 };
        await store.groups.edit(id, { merge: { name: `Word ${i}`, level: null, tags: [i] } });
        if (i % 3 === 0) await other.groups.remove(id);
      });
      await Promise.all(work);
      const found = async () => rowsOf(await store.groups.list({ ...allGroups, search: ["word"] }));
      const before = await found();
      expect(before).toHaveLength(20);
      await compactDatabase(parseDatabase(url), { waitMs: 60_000, dedicatedSessions: pooler === "none" });
      expect(await found()).toEqual(before);
      expect(kind === "sqlite" ? findSqliteCorruption(url, 0) : await findPostgresCorruption(url, 0)).toEqual(
        [],
      );
      await other.close();
      await destroy();
    });
  });
}

/** The members of groups, a user that was deleted, and one that never existed. */
const memberIds = [1, 2, 3, 4, 5, 9999];

/** Groups have up to four members. */
function withMembers(groups: readonly ModelRow[]): ModelRow[] {
  return groups.map((group) => ({ ...group, memberships: memberIds.slice(0, group.id % 5) }));
}

/** Groups of one batch have the same times. Some are changed and some removed. */
async function createSamples({ users, groups }: Store): Promise<void> {
  for (const id of memberIds.slice(0, 5)) {
    const { outcome } = await users.create({ record: { name: `Member ${id}` } });
    expect(outcome).toMatchObject({ user: { id } });
  }
  const records = sampleRecords().map(({ name, email, ...fields }, i) => ({
    name: `${name} ${i}`,
    ...fields,
  }));
  for (let size = 1; records.length > 0; size = (size % 20) + 1) {
    const created = await Promise.all(records.splice(0, size).map((record) => groups.create({ record })));
    for (const { outcome } of created) if ("problem" in outcome) throw ProblemError.of(outcome.problem);
  }
  await Promise.all(
    Array.from({ length: 40 }, (_, i) => groups.edit(3 + 2 * i, { merge: { edited: true } })),
  );
  const patches = Array.from({ length: 150 }, (_, i) => {
    const add = [...memberIds.slice(0, (i + 1) % 5), 5];
    return groups.patchMembers(i + 1, { add, remove: [] });
  });
  await Promise.all(patches);
  await Promise.all(Array.from({ length: 15 }, (_, i) => groups.remove(10 * (i + 1))));
  await users.remove(5);
}

/** The same query about groups: they have members, and no email. */
function toGroupQuery({ sort, filters, ...query }: UserListQuery): GroupListQuery {
  return { ...query, sort: sort === "email" ? "memberCount" : sort, filters: filters.map(toGroupFilter) };
}

function toGroupFilter(filter: UserListQuery["filters"][number]): GroupListQuery["filters"][number] {
  // Members have no unique names.
  if (filter.kind === "membership" && filter.by === "name")
    return { kind: "membership", by: "id", values: [filter.values.length], negated: filter.negated ?? false };
  if (filter.kind !== "column") return filter;
  const { field, values } = filter;
  if (field !== "email") return { kind: "column", field, values };
  return { kind: "column", field: "memberCount", values: values.map((_, i) => 4 - i) };
}
