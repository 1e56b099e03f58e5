import { expect, test } from "bun:test";
import fc from "fast-check";
import type { Condition } from "../../src/store/lists/condition.ts";
import {
  comparePlans,
  type EntryEstimate,
  type Estimates,
  type Wanted,
} from "../../src/store/lists/plans/choose-plan.ts";
import { withIntersections } from "../../src/store/lists/plans/estimate.ts";
import { postgresDialect } from "../../src/store/postgres/dialect.ts";
import { sqliteDialect } from "../../src/store/sqlite/dialect.ts";

const ROWS = 100_000;
const nothing = { text: "", values: [] };
const condition: Condition = {
  ...{ test: nothing, testsIdOnly: false, selectIds: () => nothing },
  ...{ exact: true, order: "known", selective: false, source: "team" },
};
const engines = { SQLite: sqliteDialect(10_000).costs, PostgreSQL: postgresDialect(10_000).costs };

const wanted = (order: "id" | "name", count: number): Wanted => ({
  ...{ count, sortsById: order === "id", walksById: order === "id", hasKeys: order !== "id" },
  ...{ lookups: 0, looksUpLast: order === "id", isParsed: false },
});

/** One condition that `matches` rows meet, as if its entries had been counted. */
function estimated(matches: number): Estimates {
  const entries = new Map([[condition, { perRow: matches / ROWS, count: matches, isExact: true }]]);
  return { rows: ROWS, entries, matchesPerRow: matches / ROWS };
}

for (const [engine, costs] of Object.entries(engines)) {
  const planFor = (order: "id" | "name", matches: number, count = 21) =>
    comparePlans(estimated(matches), wanted(order, count), costs)[0]?.plan.kind;

  test(`${engine}: by name, common matches are walked and rare ones sorted`, () => {
    expect(planFor("name", ROWS / 2)).toBe("walk");
    expect(planFor("name", 10)).toBe("sort");
    fc.assert(
      fc.property(fc.integer({ min: 1, max: ROWS }), fc.integer({ min: 1, max: ROWS }), (a, b) => {
        // There is one frequency above which a list is walked.
        if (planFor("name", Math.min(a, b)) === "walk") expect(planFor("name", Math.max(a, b))).toBe("walk");
      }),
    );
  });

  test(`${engine}: in order of id, an index of all conditions is never worse than a walk of rare matches`, () => {
    expect(planFor("id", ROWS / 100)).toBe("index");
    expect(planFor("id", 1)).toBe("index");
  });

  test(`${engine}: more rows on a page never make a walk cheaper`, () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: ROWS }), fc.integer({ min: 1, max: 1000 }), (matches, count) => {
        const walk = (rows: number) =>
          comparePlans(estimated(matches), wanted("name", rows), costs).find(
            ({ plan }) => plan.kind === "walk",
          );
        expect(walk(count + 1)?.cost).toBeGreaterThanOrEqual(walk(count)?.cost ?? 0);
        // No plan reads more than the whole table.
        expect(walk(count)?.reads).toBeLessThanOrEqual(ROWS);
      }),
    );
  });

  test(`${engine}: two frequent conditions are intersected if few rows meet both`, () => {
    const planFor = (frequencies: readonly number[], matchesPerRow: number) => {
      const entries = new Map(
        frequencies.map((perRow): [Condition, EntryEstimate] => [
          { ...condition, testsIdOnly: true, selectStretch: () => nothing },
          { perRow, count: 100, isExact: false },
        ]),
      );
      const estimates = withIntersections({ rows: ROWS, entries, matchesPerRow });
      const [best] = comparePlans(estimates, { ...wanted("id", 21), lookups: 2 }, costs);
      return best?.plan.kind === "index" && best.plan.condition.parts ? "intersection" : best?.plan.kind;
    };
    expect(planFor([0.1, 0.1], 1 / ROWS)).toBe("intersection");
    // To read all entries of the frequent one would take longer than to look up those of the rare one.
    expect(planFor([0.0005, 0.9], 1 / ROWS)).toBe("index");
  });

  test(`${engine}: a sort is not considered before its entries are counted`, () => {
    const entries = new Map([[condition, { perRow: 1e-5, count: 100, isExact: false }]]);
    const work = comparePlans({ rows: ROWS, entries, matchesPerRow: 1e-5 }, wanted("name", 21), costs);
    expect(work.map(({ plan }) => plan.kind)).not.toContain("sort");
  });
}

test("PostgreSQL: by name, all members with a common word are walked: few rows have the word, and only these are looked up", () => {
  const search: Condition = { ...condition, isSearch: true, source: "q" };
  const membership: Condition = { ...condition, testsIdOnly: true, source: "group" };
  const entries = new Map<Condition, EntryEstimate>([
    [search, { perRow: 0.006, count: 0.006 * ROWS, isExact: true }],
    [membership, { perRow: 1, count: 100, isExact: false }],
  ]);
  const planFor = (looksUpLast: boolean) =>
    comparePlans(
      { rows: ROWS, entries, matchesPerRow: 0.006 },
      { ...wanted("name", 21), lookups: 1, looksUpLast },
      engines.PostgreSQL,
    )[0]?.plan.kind;
  expect(planFor(true)).toBe("walk");
  // To look up every row of the walk would take longer than to sort all rows with the word.
  expect(planFor(false)).toBe("sort");
});

test("SQLite: by name, a walk within the index of a condition is chosen between a walk and a sort", () => {
  const planFor = (matches: number) => {
    const [best] = comparePlans(estimated(matches), wanted("name", 21), engines.SQLite);
    return best?.plan.kind === "walk" && best.plan.within ? "within" : best?.plan.kind;
  };
  expect([10, 1000, ROWS / 2].map(planFor)).toEqual(["sort", "within", "walk"]);
});
