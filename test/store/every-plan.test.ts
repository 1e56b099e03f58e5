import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { SQL } from "bun";
import fc from "fast-check";
import type { UserRecord } from "../../src/contract/users/user.ts";
import type { FoundPage, Position } from "../../src/domain/lists/listing.ts";
import type { UserListQuery } from "../../src/domain/users/user-list-fields.ts";
import { userQueries } from "../../src/http/query/user-queries.ts";
import type { Condition } from "../../src/store/lists/condition.ts";
import type { Dialect, PlanCosts } from "../../src/store/lists/dialect.ts";
import type { Plan } from "../../src/store/lists/plans/choose-plan.ts";
import { countInRounds } from "../../src/store/lists/plans/count.ts";
import { PageFinder, requirePage } from "../../src/store/lists/plans/page-finder.ts";
import { listPlanSettings } from "../../src/store/postgres/connection-pools.ts";
import { postgresDialect } from "../../src/store/postgres/dialect.ts";
import { runStepsAsync, type SqlSteps } from "../../src/store/sql/sql-steps.ts";
import { sqliteDialect } from "../../src/store/sqlite/dialect.ts";
import { userList } from "../../src/store/users/user-list.ts";
import { databaseOn, type Engine } from "../support/engines.ts";
import { arbitraryRecord, arbitraryRewritten } from "../support/filter/arbitraries.ts";
import { openTestStore } from "../support/open-test-store.ts";
import { startPostgresBeforeTests } from "../support/postgres/fresh-database.ts";
import { arbitraryQuery, sampleRecords } from "./support/list-queries.ts";
import { createSampleGroups, sampleGroupIds, withSampleGroups } from "./support/sample-groups.ts";
import { customSort, expectedList, type ModelRow } from "./support/store-model.ts";
import { allUsers, rowsOf } from "./support/store-under-test.ts";

startPostgresBeforeTests();

type Rows = readonly (readonly unknown[])[];

interface OpenDatabase {
  query(text: string, values: readonly (string | number | null)[]): Promise<Rows>;
  close(): Promise<void>;
}

const engines: Readonly<
  Record<Engine, { dialect: (maxCandidates: number) => Dialect; open: (url: string) => OpenDatabase }>
> = {
  sqlite: {
    dialect: sqliteDialect,
    open(path) {
      const database = new Database(path, { readonly: true });
      return {
        query: async (text, values) => database.query(text).values(...values),
        close: async () => database.close(),
      };
    },
  },
  postgres: {
    dialect: postgresDialect,
    open(url) {
      const sql = new SQL(url, { max: 1, connection: { ...listPlanSettings } });
      return {
        query(text, values) {
          let count = 0;
          const numbered = text.replace(/\?/g, () => `$${++count}`);
          const texts = values.map((value) => (value === null ? null : String(value)));
          return sql.unsafe(numbered, texts).values();
        },
        close: () => sql.close({ timeout: 1 }),
      };
    },
  },
};

/** Some work is as good as free, and other work takes far too long: any plan can be the cheapest. */
function arbitraryCosts({ searchBlock }: PlanCosts): fc.Arbitrary<PlanCosts> {
  const cost = fc.constantFrom(0.001, 1, 1000);
  return fc.record({
    ...{ walkById: cost, walkByKey: cost, entry: cost, sort: cost, lookup: cost, parse: cost },
    ...{ searchList: cost, searchEntry: cost, searchBlockEntry: cost, searchMerge: cost },
    ...{ merge: cost, collect: cost, walkKeys: cost, searchBlock: fc.constant(searchBlock) },
  });
}

/** Only this work is as good as free. */
function cheap(...work: readonly (keyof PlanCosts)[]): PlanCosts {
  return {
    ...{ walkById: 1000, walkByKey: 1000, entry: 1000, sort: 1000, lookup: 1000, parse: 1000 },
    ...{ searchList: 1000, searchEntry: 1000, searchBlockEntry: 1000, searchMerge: 1000, searchBlock: 1 },
    ...{ merge: 1000, collect: 1000, walkKeys: 1000 },
    ...Object.fromEntries(work.map((name) => [name, 0.001])),
  };
}

/** Hard records, more than 100 of each side and shape, and records as they come. Few on the left are round. */
function createRecords(): UserRecord[] {
  const random = fc
    .sample(arbitraryRecord, { numRuns: 100, seed: 34 })
    .map(({ email, userName, ...record }) => record);
  const hard = [0, 1, 2].flatMap((copy) =>
    sampleRecords().flatMap(({ email, userName, ...record }, i) =>
      // Users with too many values for the index make filters inexact.
      Array.isArray(record.tags) && record.tags.length > 100
        ? []
        : {
            ...record,
            ...(copy === 0 && email !== undefined && { email }),
            ...(copy === 0 && userName !== undefined && { userName }),
            side: i % 2 ? "left" : "right",
            shape: i % 2 === 0 || i % 30 === 1 ? "round" : "square",
          },
    ),
  );
  return [...hard, ...random];
}

const twoFilters = fc
  .tuple(fc.constantFrom("left", "right"), fc.constantFrom("round", "square"))
  .map(([side, shape]) => filtersOf(side, shape));

function filtersOf(side: string, shape: string): UserListQuery["filters"] {
  return [
    { kind: "custom", field: "side", values: [side] },
    { kind: "custom", field: "shape", values: [shape] },
  ];
}

for (const [engine, { dialect, open }] of Object.entries(engines))
  describe(`${engine}: plans`, () => {
    let users: ModelRow[];
    let database: OpenDatabase;
    let drop: () => Promise<void>;
    beforeAll(async () => {
      const opened = await databaseOn(engine === "sqlite" ? "sqlite" : "postgres");
      const store = await openTestStore(opened.url, {});
      await store.users.import(createRecords().map((record) => ({ json: JSON.stringify(record) })));
      const rows = rowsOf(await store.users.list({ ...allUsers, limit: 1000 }));
      await createSampleGroups(
        store,
        rows.map(({ id }) => id),
      );
      users = withSampleGroups(rows);
      await store.close();
      database = open(opened.url);
      drop = opened.drop;
    });
    afterAll(async () => {
      await database.close();
      await drop();
    });
    const run = <T>(steps: SqlSteps<T>): Promise<T> =>
      runStepsAsync(steps, ({ text, values }) => database.query(text, values));

    const readAll = async (finder: PageFinder, query: UserListQuery): Promise<ModelRow[]> => {
      const found: ModelRow[] = [];
      let from: Position | undefined;
      do {
        const page: FoundPage = requirePage(await run(finder.find({ ...query, from })));
        found.push(...page.items.map((json) => JSON.parse(new TextDecoder().decode(json))));
        from = page.next;
      } while (from);
      return found;
    };

    /** Compares the users on all pages, and the count, with what is expected. */
    const compare = async (finder: PageFinder, query: UserListQuery) => {
      const ids = (await readAll(finder, query)).map(({ id }) => id);
      const expected = expectedList(users, query);
      expect(ids).toEqual(expected.slice(query.offset).map(({ id }) => id));
      // A count ends early if its rounds take long. Here, no time passes.
      const { count } = await countInRounds((after) => run(finder.countRound(query, after)), {
        running: () => 0,
      });
      expect(count).toBe(expected.length);
    };

    test("every plan finds the same users, in the same order", async () => {
      const other = fc.record({
        filters: fc.option(fc.oneof(fc.constant([]), twoFilters), { freq: 1 }),
        sort: fc.option(fc.oneof(fc.constant("id" as const), customSort), { freq: 1 }),
        expression: fc.option(arbitraryRewritten, { freq: 1 }),
      });
      const query = fc.tuple(arbitraryQuery(users, sampleGroupIds), other).map(
        ([any, { filters, sort, expression }]): UserListQuery => ({
          ...any,
          filters: filters ?? any.filters,
          sort: sort ?? any.sort,
          ...(expression && { expression }),
        }),
      );
      const costs = arbitraryCosts(dialect(1).costs);
      const maxCandidates = fc.constantFrom(50, 10_000);
      await fc.assert(
        fc.asyncProperty(fc.record({ query, costs, maxCandidates }), async (list) => {
          const finder = new PageFinder({ ...dialect(list.maxCandidates), costs: list.costs }, userList);
          await compare(finder, list.query);
        }),
        { numRuns: 200 },
      );
    }, 120_000);

    test("one statement finds a page of the members of any group", async () => {
      const finder = new PageFinder(dialect(10_000), userList);
      const readAtOnce = async (query: UserListQuery): Promise<number[]> => {
        const found = await run(finder.findAtOnce(query));
        if (!found) throw new Error("This page takes more than one statement.");
        const { items, next } = requirePage(found);
        const ids = items.map((json): number => JSON.parse(new TextDecoder().decode(json)).id);
        return next ? [...ids, ...(await readAtOnce({ ...query, from: next }))] : ids;
      };
      for (const descending of [false, true]) {
        // The groups take turns: they share a statement.
        for (const group of [...sampleGroupIds, ...sampleGroupIds]) {
          const filters: UserListQuery["filters"] = [{ kind: "membership", by: "id", values: [group] }];
          const query: UserListQuery = { ...allUsers, filters, descending, limit: 20 };
          expect(await readAtOnce(query)).toEqual(expectedList(users, query).map(({ id }) => id));
        }
      }
    });

    test("a walk within an index tests the users without a value to sort by, too", async () => {
      // Three comparisons are too many to look up: the index finds these users, or they are parsed.
      const filter = encodeURIComponent('side eq "left" or side eq "top" or side eq "bottom"');
      const finder = new PageFinder(
        { ...dialect(10_000), costs: cheap("collect", "walkKeys", "parse") },
        userList,
      );
      for (const sort of ["active", "-active"]) {
        const query = userQueries.parse(`filter=${filter}&sort=${sort}&limit=5`);
        await run(finder.find(query));
        expect(formatPlan(finder.planOf(query)?.plan)).toStartWith("walk within");
        const sides = (await readAll(finder, query)).map(({ side }) => side);
        expect(new Set(sides)).toEqual(new Set(["left"]));
        expect(sides).toHaveLength(users.filter(({ side }) => side === "left").length);
      }
    });

    test.each<[plan: string, sort: "id" | "name", costs: PlanCosts]>([
      ["walk", "name", cheap("walkByKey", "lookup")],
      ["walk within side", "name", cheap("collect", "walkKeys", "walkByKey")],
      ["index side", "id", cheap("entry", "lookup")],
      ["index side and shape", "id", cheap("entry", "merge")],
      ["sort side", "name", cheap("sort", "lookup")],
      ["sort side and shape", "name", cheap("sort", "merge")],
    ])("%s by %s is chosen if its work is cheap", async (plan, sort, costs) => {
      const finder = new PageFinder({ ...dialect(10_000), costs }, userList);
      const query: UserListQuery = { ...allUsers, sort, filters: filtersOf("left", "round"), limit: 5 };
      await compare(finder, query);
      expect(formatPlan(finder.planOf(query)?.plan)).toBe(plan);
    });
  });

function formatPlan(plan: Plan | undefined): string | undefined {
  if (plan?.kind !== "walk") return plan && `${plan.kind} ${formatCondition(plan.condition)}`;
  return plan.within ? `walk within ${formatCondition(plan.within)}` : "walk";
}

function formatCondition({ source, parts }: Condition): string {
  return parts ? parts.map(formatCondition).join(" and ") : String(source);
}
