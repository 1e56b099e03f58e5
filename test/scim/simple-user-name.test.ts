import { expect, test } from "bun:test";
import fc from "fast-check";
import { parseUserFilter } from "../../src/scim/filter/parse-filter.ts";
import { findSimpleUserName } from "../../src/scim/filter/simple-user-name.ts";

test("a simple filter compares the user name that the parser finds", () => {
  const names = fc.oneof(
    fc.string(),
    fc.string({ unit: "binary" }),
    fc.constantFrom("", "roster-42", "Ada@Example.com"),
  );
  fc.assert(
    fc.property(names, fc.constantFrom("userName", "USERNAME", "name"), (name, attribute) => {
      const filter = `${attribute} eq "${name}"`;
      const found = findSimpleUserName(filter);
      if (found !== undefined) expect(parseUserFilter(filter).userName).toBe(found);
    }),
    { numRuns: 2000 },
  );
});

test("simple filters are those that provisioning clients send", () => {
  const found = ['userName eq "Ada@Example.com"', 'username eq "ada lovelace"', 'userName eq ""'].map(
    findSimpleUserName,
  );
  expect(found).toEqual(["Ada@Example.com", "ada lovelace", ""]);
});

test("other filters are left to the parser", () => {
  const filters = [
    ...[
      'userName eq "roster-42"',
      'userName  eq "ada"',
      'userName eq "a\\"b"',
      'userName sw "ada"',
      "userName eq ada",
    ],
    ...[
      'not (userName eq "ada")',
      'userName eq "ada" and active eq true',
      'xuserName eq "ada"',
      'userName eq "a\tb"',
      "",
    ],
    `userName eq "${"a".repeat(321)}"`,
  ];
  expect(filters.filter((filter) => findSimpleUserName(filter) !== undefined)).toEqual([]);
});
