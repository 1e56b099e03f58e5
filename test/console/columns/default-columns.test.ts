import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Json, User } from "../../../src/client/index.ts";
import { toSchemaFields } from "../../../src/console/fields/field-spec.ts";
import type { FieldInfo } from "../../../src/console/users/field-info.ts";
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
const text = (name: string): FieldInfo => ({ name, types: ["string"] });
const list = (name: string): FieldInfo => ({ name, types: ["array"] });
const inSchema = (field: FieldInfo): FieldInfo => {
  const { specs } = toSchemaFields({ properties: { [field.name]: { type: "string" } } });
  return { ...field, spec: specs[0] };
};
/** Users of whom so many have each field. */
const usersWith = (counts: Record<string, number>, total: number) =>
  Array.from({ length: total }, (_, index) =>
    userWith(
      Object.fromEntries(
        Object.keys(counts)
          .filter((name) => index < (counts[name] ?? 0))
          .map((name) => [name, "x"]),
      ),
    ),
  );

describe("the custom fields that are columns by default", () => {
  test("are those that most users have, in the order of the fields", () => {
    const fields = ["a", "b", "c", "d", "e"].map(text);
    expect(chooseCustomColumns(fields, usersWith({ a: 5, b: 9, c: 4, d: 8, e: 10 }, 10))).toEqual([
      "b",
      "d",
      "e",
    ]);
  });

  test("have simple values, if there are enough of these", () => {
    const fields = [list("tags"), text("city"), text("plan"), text("team"), text("floor")];
    const users = usersWith({ tags: 8, city: 3, plan: 4, team: 2, floor: 1 }, 8);
    expect(chooseCustomColumns(fields, users)).toEqual(["city", "plan", "team"]);
    expect(chooseCustomColumns(fields.slice(0, 3), users)).toEqual(["tags", "city", "plan"]);
  });

  test("are fields of the schema first, and then earlier ones, if as many users have them", () => {
    const fields = [text("a"), text("b"), text("c"), inSchema(text("d")), text("e")];
    expect(chooseCustomColumns(fields, usersWith({ a: 2, b: 2, c: 2, d: 2, e: 2 }, 2))).toEqual([
      "a",
      "b",
      "d",
    ]);
  });

  test("leave out a field that less than a quarter of the users have, and empty values", () => {
    const fields = [text("rare"), text("quarter"), text("empty")];
    const users = usersWith({ rare: 1, quarter: 2 }, 8).map((user) => ({ ...user, empty: null }));
    expect(chooseCustomColumns(fields, users)).toEqual(["quarter"]);
    expect(chooseCustomColumns(fields, [])).toEqual([]);
  });

  test("do not depend on the order of the users, and no field that is left out is better", () => {
    const names = ["a", "b", "c", "d", "e"];
    const sample = fc.array(fc.subarray(names), { maxLength: 20 });
    const kinds = fc.tuple(...names.map(() => fc.boolean()));
    fc.assert(
      fc.property(sample, kinds, (owned, areLists) => {
        const fields = names.map((name, index) => (areLists[index] ? list(name) : text(name)));
        const users = owned.map((own) => userWith(Object.fromEntries(own.map((name) => [name, "x"]))));
        const chosen = chooseCustomColumns(fields, users);
        expect(chooseCustomColumns(fields, users.toReversed())).toEqual(chosen);
        expect(chosen).toEqual(names.filter((name) => chosen.includes(name)));
        const countOf = (name: string) => owned.filter((own) => own.includes(name)).length;
        const isWanted = (name: string) => countOf(name) > 0 && countOf(name) >= users.length * MIN_SHARE;
        const wanted = names.filter(isWanted);
        expect(chosen).toHaveLength(Math.min(wanted.length, DEFAULT_CUSTOM_COLUMNS));
        const rankOf = (name: string) => (areLists[names.indexOf(name)] ? 0 : 100) + countOf(name);
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
