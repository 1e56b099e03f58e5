import { expect, test } from "bun:test";
import fc from "fast-check";
import {
  formatListParams,
  type ListParams,
  parseColumns,
  parseListParams,
  sorts,
} from "../../src/console/users/list-params.ts";
import { GROUP_PARAMETER, isFilterName } from "../../src/contract/listing.ts";

const values = fc.uniqueArray(fc.string(), { minLength: 1, maxLength: 4 });
const field = fc.oneof(
  fc.stringMatching(/^[A-Za-z][A-Za-z0-9_]{0,20}$/).filter(isFilterName),
  fc.constant(GROUP_PARAMETER),
);
const search: fc.Arbitrary<ListParams> = fc.record({
  q: fc.string(),
  sort: fc.constantFrom(...sorts, "level", "-level", "address.city"),
  filter: fc.string(),
  where: fc.uniqueArray(fc.tuple(field, values), { selector: ([name]) => name }).map(Object.fromEntries),
});

test("parameters survive formatting and parsing", () => {
  fc.assert(
    fc.property(search, (params) => {
      const { where, ...rest } = parseListParams(formatListParams(params));
      expect({ ...rest, where: Object.entries(where) }).toEqual({
        ...params,
        where: Object.entries(params.where),
      });
    }),
  );
});

test("columns survive formatting and parsing beside the parameters", () => {
  const name = fc.stringMatching(/^[A-Za-z][A-Za-z0-9_]{0,63}$/);
  const columns = fc.uniqueArray(name, { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(search, columns, (params, names) => {
      const text = formatListParams(params, names);
      expect(parseColumns(text)).toEqual(names);
      expect(formatListParams(parseListParams(text))).toBe(formatListParams(params));
    }),
  );
  expect(parseColumns("?fields=name,,a b,name,plan")).toEqual(["name", "plan"]);
  expect(parseColumns(`?fields=${Array.from({ length: 200 }, (_, index) => `f${index}`)}`)).toHaveLength(100);
  expect(parseColumns("?fields=,")).toBeUndefined();
});

test("invalid parameters are ignored", () => {
  const { q, sort, where } = parseListParams("?sort=a..b&limit=9&q=ada&after=x&constructor=a&constructor=b");
  expect([q, sort, Object.entries(where)]).toEqual(["ada", "-id", [["constructor", ["a", "b"]]]]);
});
