import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Json, User } from "../../../src/client/index.ts";
import { toSchemaFields } from "../../../src/console/fields/field-spec.ts";
import { filteredFields } from "../../../src/console/users/table/column-layout.ts";
import {
  chooseCustomColumns,
  DEFAULT_CUSTOM_COLUMNS,
  MIN_SHARE,
} from "../../../src/console/users/table/default-columns.ts";

const at = "2026-01-01T00:00:00.000Z";
const userWith = (fields: Record<string, Json>): User => ({
  ...fields,
  id: 1,
  name: "Ada",
  version: 1,
  createdAt: at,
  updatedAt: at,
});
const schemaOf = (...names: string[]) =>
  toSchemaFields({ properties: Object.fromEntries(names.map((name) => [name, {}])) }).specs;
const sampleOf = (name: string, lists: readonly string[]) => (lists.includes(name) ? ["x"] : "x");
/** Users of whom so many have each field. */
const usersWith = (counts: Record<string, number>, total: number, lists: readonly string[] = []) =>
  Array.from({ length: total }, (_, index) =>
    userWith(
      Object.fromEntries(
        Object.keys(counts)
          .filter((name) => index < (counts[name] ?? 0))
          .map((name) => [name, sampleOf(name, lists)]),
      ),
    ),
  );

describe("the custom fields that are columns by default", () => {
  test("are those that most users have, by name", () => {
    expect(chooseCustomColumns([], usersWith({ e: 10, d: 8, c: 4, b: 9, a: 5 }, 10))).toEqual([
      "b",
      "d",
      "e",
    ]);
  });

  test("have simple values, if there are enough of these", () => {
    const users = usersWith({ tags: 8, city: 3, plan: 4, team: 2, floor: 1 }, 8, ["tags"]);
    expect(chooseCustomColumns([], users)).toEqual(["city", "plan", "team"]);
    const fewer = usersWith({ tags: 8, city: 3, plan: 4 }, 8, ["tags"]);
    expect(chooseCustomColumns([], fewer)).toEqual(["city", "plan", "tags"]);
  });

  test("are fields of the schema first, and then earlier ones, if as many users have them", () => {
    const users = usersWith({ a: 2, b: 2, c: 2, d: 2, e: 2 }, 2);
    expect(chooseCustomColumns(schemaOf("d"), users)).toEqual(["d", "a", "b"]);
    expect(chooseCustomColumns(schemaOf("e", "d", "b", "a"), users)).toEqual(["e", "d", "b"]);
    // Not one that no user has.
    expect(chooseCustomColumns(schemaOf("z"), users)).toEqual(["a", "b", "c"]);
  });

  test("leave out a field that less than a quarter of the users have, empty values and Roster's own fields", () => {
    const users = usersWith({ rare: 1, quarter: 2 }, 8).map((user) => ({
      ...user,
      empty: null,
      email: "a@example.com",
    }));
    expect(chooseCustomColumns(schemaOf("rare"), users)).toEqual(["quarter"]);
    expect(chooseCustomColumns(schemaOf("rare"), [])).toEqual([]);
  });

  test("do not depend on the order of the users, and no field that is left out is better", () => {
    const names = ["a", "b", "c", "d", "e"];
    const sample = fc.array(fc.subarray(names), { maxLength: 20 });
    fc.assert(
      fc.property(sample, fc.subarray(names), (owned, lists) => {
        const users = owned.map((own) =>
          userWith(Object.fromEntries(own.map((name) => [name, sampleOf(name, lists)]))),
        );
        const chosen = chooseCustomColumns([], users);
        expect(chooseCustomColumns([], users.toReversed())).toEqual(chosen);
        expect(chosen).toEqual(names.filter((name) => chosen.includes(name)));
        const countOf = (name: string) => owned.filter((own) => own.includes(name)).length;
        const isWanted = (name: string) => countOf(name) > 0 && countOf(name) >= users.length * MIN_SHARE;
        const wanted = names.filter(isWanted);
        expect(chosen).toHaveLength(Math.min(wanted.length, DEFAULT_CUSTOM_COLUMNS));
        const rankOf = (name: string) => (lists.includes(name) ? 0 : 100) + countOf(name);
        const lowest = Math.min(...chosen.map(rankOf));
        expect(chosen.every(isWanted)).toBe(true);
        expect(wanted.filter((name) => !chosen.includes(name)).every((name) => rankOf(name) <= lowest)).toBe(
          true,
        );
      }),
    );
  });
});

describe("the fields that a list is filtered by", () => {
  test("are those of parameters and of the conditions of the expression, each once", () => {
    const where = { plan: ["pro", "free"], "address.city": ["Rome"] };
    const filter = 'level ge 3 and not (team pr) and (plan eq "a" or plan eq "b")';
    expect(filteredFields({ where, filter })).toEqual(["plan", "address", "level", "team"]);
  });

  test("are only those of parameters if the expression is more than conditions", () => {
    expect(filteredFields({ where: { plan: ["pro"] }, filter: "level ge 3 or team pr" })).toEqual(["plan"]);
    expect(filteredFields({ where: {}, filter: "" })).toEqual([]);
  });
});
