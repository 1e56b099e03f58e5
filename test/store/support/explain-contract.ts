import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { ListExplanation } from "../../../src/contract/users/explanation-schemas.ts";
import type { ListQuery, MembershipFilter } from "../../../src/domain/lists/listing.ts";
import type { Store } from "../../../src/domain/store.ts";
import { userQueries } from "../../../src/http/query/user-queries.ts";
import { allUsers, type OpenStore, rowsOf, type StoreUnderTest } from "./store-under-test.ts";

/** The explanation of a list in short. */
interface Short {
  /** The plan, and what it read, of each round. */
  readonly rounds: readonly string[];
  readonly found: number;
}

const USERS = 600;
/** Users without these ids make an id no measure of rows. */
const REMOVED = [11, 12, 13];

/**
 * Six users have a gold badge, one in ten is of level 0, one in ten of level 1, and so on. Every second user is in team a. Those in the
 * second half are late. Two of three have an email.
 */
async function createUsers({ users }: Store): Promise<void> {
  await users.import(
    Array.from({ length: USERS }, (_, i) => {
      const id = i + 1;
      const record = {
        name: `User ${String(id).padStart(3, "0")}`,
        ...(id % 3 > 0 && { email: `user${id}@example.com` }),
        team: id % 2 ? "a" : "b",
        level: id % 10,
        ...(id % 100 === 0 && { badge: "gold" }),
        ...(id > USERS / 2 && { late: true }),
      };
      return { json: JSON.stringify(record) };
    }),
  );
  for (const id of REMOVED) await users.remove(id);
}

export function explainContract(engine: string, open: OpenStore): void {
  describe(`${engine}: explanations`, () => {
    let opened: StoreUnderTest;
    /** Its lists stop after 64 rows. */
    let narrow: StoreUnderTest;
    beforeAll(async () => {
      [opened, narrow] = [await open(), await open(64)];
      for (const { store } of [opened, narrow]) await createUsers(store);
    });
    afterAll(async () => {
      for (const { destroy } of [opened, narrow]) await destroy();
    });
    const explain = (query: string, { store } = opened) => store.users.explain(userQueries.parse(query));
    const filter = (expression: string) => `filter=${encodeURIComponent(expression)}`;

    test.each<[query: string, expected: Short]>([
      // One more user tells whether there is a next page.
      ["limit=20", { rounds: ["page all 21"], found: 20 }],
      ["sort=-name", { rounds: ["page all 101"], found: 100 }],
      ["limit=1000", { rounds: ["page all 597"], found: 597 }],
      ["limit=5&offset=30", { rounds: ["offset all 30", "page all 6"], found: 5 }],
      // 398 users have an email. Those without one come last.
      ["sort=email&limit=450", { rounds: ["page all 398", "page all 53"], found: 450 }],
      // 6 users have the field. The others are found by a walk.
      ["sort=badge&limit=9", { rounds: ["page all 6", "page walk 4"], found: 9 }],
      ["sort=level&limit=9", { rounds: ["page all 10"], found: 9 }],
    ])("without conditions, rows are read in order: %s", async (query, expected) => {
      const explanation = await explain(query);
      expect(shorten(explanation)).toEqual(expected);
      expect(explanation).toMatchObject({ estimates: null, complete: true });
    });

    test.each([
      ["email=User7@Example.com", "email", 1],
      ["id=7", "id", 1],
      ["id=11", "id", 0],
    ])("a unique value is one lookup: %s", async (query, condition, found) => {
      const explanation = await explain(`${query}&sort=-name`);
      expect(shorten(explanation)).toEqual({ rounds: [`page unique(${condition}) ${found}`], found });
      expect(explanation).toMatchObject({ order: "-name", statements: 1, hasMore: false, compared: [] });
    });

    test.each<[query: string, expected: Short]>([
      // By name, the 11th of team a is user 25, and 3 of the users before were removed.
      ["team=a&sort=name&limit=10", { rounds: ["page walk 22"], found: 10 }],
      // In order of id: rows, not ids.
      [`${filter("not (team eq 3)")}&limit=10`, { rounds: ["page walk 11"], found: 10 }],
      [`${filter("not (team eq 3)")}&limit=10&sort=-id`, { rounds: ["page walk 11"], found: 10 }],
      [
        `${filter("not (team eq 3)")}&limit=1&offset=11`,
        { rounds: ["offset walk 11", "page walk 2"], found: 1 },
      ],
      [`${filter('team ne "a"')}&limit=3&sort=-name`, { rounds: ["page walk 7"], found: 3 }],
      // The index of a range is in no order.
      [`${filter("level ge 5")}&limit=5`, { rounds: ["page walk 12"], found: 5 }],
      ["q=us&limit=5", { rounds: ["page walk 6"], found: 5 }],
    ])("common matches are found by a walk: %s", async (query, expected) => {
      expect(shorten(await explain(query))).toEqual(expected);
    });

    test.each<[query: string, expected: Short]>([
      ["badge=gold", { rounds: ["page index(badge) 6"], found: 6 }],
      ["badge=gold&limit=2", { rounds: ["page index(badge) 3"], found: 2 }],
      ["badge=gold&limit=2&sort=-id", { rounds: ["page index(badge) 3"], found: 2 }],
      // Their spelling differs.
      ["badge=GOLD", { rounds: ["page index(badge) 6"], found: 0 }],
      ["badge=gold&offset=2&limit=2", { rounds: ["offset index(badge) 2", "page index(badge) 3"], found: 2 }],
      ["badge=gold&team=a", { rounds: ["page index(badge) 6"], found: 0 }],
      ["q=user+599", { rounds: ["page index(q) 1"], found: 1 }],
      ["id=7&id=8&id=11", { rounds: ["page index(id) 2"], found: 2 }],
      // No user has such a time.
      ["createdAt=yesterday", { rounds: ["page index(createdAt) 0"], found: 0 }],
      [
        filter("id gt 100 and id lt 150 and not (level eq 3)"),
        { rounds: ["page index(id gt 100 and id lt 150) 49"], found: 44 },
      ],
    ])("in order of id, rare matches are found by an index: %s", async (query, expected) => {
      expect(shorten(await explain(query))).toEqual(expected);
    });

    test.each<[query: string, expected: Short]>([
      ["badge=gold&sort=-name", { rounds: ["page sort(badge) 6"], found: 6 }],
      // In order of email, users without one are a second part of the list.
      ["badge=gold&sort=email", { rounds: ["page sort(badge) 6", "page sort(badge) 6"], found: 6 }],
      // In order of a custom field, the sorted users are kept.
      ["badge=gold&sort=late", { rounds: ["page sort(badge) 6", "page sort(badge) 0"], found: 6 }],
      ["badge=gold&sort=name&offset=20", { rounds: ["offset sort(badge) 6"], found: 0 }],
      ["q=user+599&sort=name", { rounds: ["page sort(q) 1"], found: 1 }],
      [
        `${filter('name co "ser 59"')}&sort=updatedAt`,
        { rounds: ['page sort(name co "ser 59") 10'], found: 10 },
      ],
    ])("in another order, rare matches are sorted: %s", async (query, expected) => {
      expect(shorten(await explain(query))).toEqual(expected);
    });

    test("the next page is explained from its cursor", async () => {
      const query = userQueries.parse("team=a&sort=name&limit=10");
      const { next } = await opened.store.users.list(query);
      const explanation = await opened.store.users.explain({ ...query, from: next });
      // From user 24 to user 45.
      expect(shorten(explanation)).toEqual({ rounds: ["page walk 22"], found: 10 });
    });

    test("a walk that finds too little ends at its limit, and another plan goes on", async () => {
      // The first 100 of the late users reach to id 400: about one of four seems to be late.
      const explanation = await explain("late=true&sort=name&limit=5");
      // SQLite is fast at looking for ids in a set: it goes on with the names, up to the sixth late user.
      const plan = { kind: engine === "SQLite" ? "walk" : "sort", condition: "late" };
      const rowsRead = 300 + (engine === "SQLite" ? 306 - 67 : 0);
      expect(explanation).toMatchObject({
        order: "name",
        plan,
        rowsRead: 64 + rowsRead,
        found: 5,
        hasMore: true,
        complete: true,
        rounds: [
          { phase: "page", plan: { kind: "walk" }, rowsExpected: 24, limit: 64, rowsRead: 64, matches: 0 },
          { phase: "page", plan, rowsRead, matches: 6 },
        ],
      });
      const [cheapest, ...others] = explanation.compared;
      expect(cheapest).toMatchObject({ plan });
      expect(others).toContainEqual({
        plan: { kind: "walk" },
        rowsExpected: 600,
        microseconds: expect.any(Number),
      });
      expect(others[0]?.microseconds).toBeGreaterThan(cheapest?.microseconds ?? 0);
      // The list estimates, walks, finds out where the walk stopped, counts what a sort would read, and goes on.
      expect(explanation.statements).toBe(5);
    });

    test("rounds that read an index in chunks count each entry once", async () => {
      // The index of the team leads. All of its 298 users are fetched, and none passes the test outside of the database.
      const explanation = await explain(`team=a&${filter("not (team pr)")}&limit=1`);
      expect(explanation).toMatchObject({
        plan: { kind: "index", condition: "team" },
        rowsRead: 298,
        found: 0,
      });
      expect(explanation.rounds.length).toBeGreaterThan(1);
    });

    test("conditions are named in the caller's words, also those without an index", async () => {
      const expression =
        'LEVEL eq 3 and level eq 4 and not (plan pr) and version ge 1 and (team eq "a" or team eq "b")';
      const { estimates } = await explain(`q=user&team=a&${filter(expression)}`);
      expect(estimates?.conditions.map(({ condition }) => condition)).toEqual([
        "team",
        "q",
        "version ge 1",
        "LEVEL eq 3",
        "level eq 4",
        'team eq "a" or team eq "b"',
        "not (plan pr)",
      ]);
      const [team, ...others] = estimates?.conditions ?? [];
      // The 100th of team a has the id 203.
      expect(team).toEqual({ condition: "team", entries: 296, exact: false });
      expect(others.at(-1)).toEqual({ condition: "not (plan pr)", entries: null, exact: false });
    });

    test("a filter by groups is a condition, and one of users in no group is none", async () => {
      const { users, groups } = opened.store;
      const { outcome } = await groups.create({ record: { name: "Explained" } });
      const id = "group" in outcome ? outcome.group.id : 0;
      await groups.patchMembers(id, { add: [100, 200, 300], remove: [] });
      const filter: MembershipFilter = { kind: "membership", by: "id", values: [id] };
      const explainBy = (filters: readonly MembershipFilter[]) =>
        users.explain({ ...userQueries.parse("limit=5"), filters });
      const found = await explainBy([filter]);
      expect(shorten(found)).toEqual({ rounds: ["page index(group) 3"], found: 3 });
      expect(found.estimates?.conditions).toMatchObject([{ condition: "group" }]);
      const others = await explainBy([{ ...filter, negated: true }]);
      expect(shorten(others)).toEqual({ rounds: ["page walk 6"], found: 5 });
    });

    test("members with a word, by name, are found by the cheapest plan of those that begin with the group, the word and the order", async () => {
      const { users, groups } = opened.store;
      const ids = rowsOf(await users.list({ ...allUsers, limit: 1000 })).map(({ id }) => id);
      const explainMembers = async (name: string, add: readonly number[], search: string) => {
        const { outcome } = await groups.create({ record: { name } });
        const id = "group" in outcome ? outcome.group.id : 0;
        await groups.patchMembers(id, { add, remove: [] });
        const filter: MembershipFilter = { kind: "membership", by: "id", values: [id] };
        const query = userQueries.parse(`q=${encodeURIComponent(search)}&sort=name&limit=5`);
        const { plan, found, compared } = await users.explain({ ...query, filters: [filter] });
        expect(compared[0]).toMatchObject({ plan });
        return [plan, found];
      };
      expect(await explainMembers("Everyone", ids, "user")).toEqual([{ kind: "walk" }, 5]);
      // The name of one user.
      expect(await explainMembers("All", ids, "user 599")).toEqual([{ kind: "sort", condition: "q" }, 1]);
      const few = ids.slice(300, 303);
      expect(await explainMembers("Three", few, "user")).toEqual([{ kind: "sort", condition: "group" }, 3]);
    });

    test("the order is written as callers write it", async () => {
      const orders = ["-email", 'address."a.b"', "-level"];
      const explained = orders.map(async (sort) => explain(`sort=${encodeURIComponent(sort)}`));
      expect((await Promise.all(explained)).map(({ order }) => order)).toEqual(orders);
    });

    test("a list that would need more work than one round is not complete", async () => {
      const explanation = await explain(`${filter("not (team pr)")}&sort=name&limit=5`, narrow);
      expect(shorten(explanation)).toEqual({ rounds: ["page walk 32", "page walk 32"], found: 0 });
      expect(explanation).toMatchObject({ complete: false, hasMore: true });
    });

    test.each<[query: string, expected: Short]>([
      ["offset=500", { rounds: ["offset all 320"], found: 0 }],
      ["offset=500&sort=-name", { rounds: ["offset all 320"], found: 0 }],
      ["offset=500&sort=-level", { rounds: ["offset all 320"], found: 0 }],
      ["offset=320&limit=2", { rounds: ["offset all 320", "page all 3"], found: 2 }],
      // Only 6 users have a badge. The others are tested one by one.
      ["offset=500&sort=badge", { rounds: ["offset all 6", "offset walk 64"], found: 0 }],
      // 64 entries of the index, or users by name. Fewer of them are in the list.
      ["offset=250&team=a&version=1&limit=2", { rounds: ["offset index(team) 64"], found: 0 }],
      [`offset=250&sort=-name&${filter('team ne "a"')}`, { rounds: ["offset walk 64"], found: 0 }],
    ])(
      "one round skips a limited number of users, and another one continues: %s",
      async (query, expected) => {
        const explanation = await explain(query, narrow);
        expect(shorten(explanation)).toEqual(expected);
        const complete = expected.found > 0;
        expect(explanation).toMatchObject({ complete, hasMore: true });
      },
    );

    test("one round skips no more users if a cursor asks for it", async () => {
      for (const sort of ["", "&sort=-id", "&sort=name", "&team=a", "&q=user"]) {
        const query = userQueries.parse(`limit=1${sort}`);
        const key = query.sort === "name" ? "a" : null;
        const from = { key, id: query.descending ? 1000 : 1, skip: 999_999_999 };
        const { rowsRead } = await narrow.store.users.explain({ ...query, from });
        expect({ sort, rowsRead }).toEqual({ sort, rowsRead: Math.min(rowsRead, 640) });
      }
    });

    test("what a list has remembered or kept changes nothing", async () => {
      const first = await explain("late=true&sort=name&limit=10");
      for (let repeated = 0; repeated < 5; repeated++)
        await opened.store.users.list(userQueries.parse("late=true&sort=name&limit=10"));
      expect(await explain("late=true&sort=name&limit=10")).toEqual(first);
    });
  });
}

function shorten({ rounds, rowsRead, found }: ListExplanation): Short {
  expect(rowsRead).toBe(sumOf(rounds));
  return {
    rounds: rounds.map(({ phase, plan: { kind, condition }, rowsRead: read }) => {
      return `${phase} ${kind}${condition === undefined ? "" : `(${condition})`} ${read}`;
    }),
    found,
  };
}

function sumOf(rounds: ListExplanation["rounds"]): number {
  return rounds.reduce((sum, { rowsRead }) => sum + rowsRead, 0);
}

/**
 * Expects the explanation of a list to agree with its rows. If the list was found by walks alone, these read all rows in `order` up to
 * the last one found.
 */
export async function expectExplained<Query extends ListQuery>(
  lists: { explain(query: Query): Promise<ListExplanation> },
  query: Query,
  { matching, order }: { matching: readonly number[]; order?: readonly number[] },
): Promise<void> {
  const { offset, limit } = query;
  const { rounds, rowsRead, found, hasMore, complete } = await lists.explain(query);
  expect(rowsRead).toBe(sumOf(rounds));
  if (!complete) {
    expect({ hasMore, found }).toEqual({ hasMore: true, found: Math.min(found, limit) });
    return;
  }
  const page = matching.slice(offset, offset + limit);
  expect({ found, hasMore }).toEqual({ found: page.length, hasMore: matching.length > offset + limit });
  if (!order || offset > 0 || rounds.some(({ plan: { kind, condition } }) => kind !== "walk" || condition))
    return;
  const next = matching[limit];
  expect(rowsRead).toBe(next === undefined ? order.length : order.indexOf(next) + 1);
}
