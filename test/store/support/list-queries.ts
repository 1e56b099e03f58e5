import fc from "fast-check";
import type { Json } from "../../../src/contract/json.ts";
import type { UserRecord } from "../../../src/contract/users/user.ts";
import { columnFields } from "../../../src/contract/users/user-fields.ts";
import { foldCase, foldEmail, foldText } from "../../../src/domain/fold.ts";

import type { MembershipFilter } from "../../../src/domain/lists/listing.ts";
import type { UserListQuery } from "../../../src/domain/users/user-list-fields.ts";
import { sampleGroupName } from "./sample-groups.ts";
import type { ModelRow } from "./store-model.ts";

const names = [
  "Ada Lovelace",
  "ada lovelace",
  "Adà",
  "José Núñez",
  "Jose Nunez",
  "Zoë",
  "zoe",
  "Łukasz",
  "山田太郎",
  "Øyvind",
  "O'Brien",
  "Mary-Jane",
  "Straße",
  "𝒜da",
  "Ａｄａ",
  "नमस्ते",
  "Émile",
  "emile",
  "mile",
];
/** More elements than the index of values holds for a user. */
const manyElements = Array.from({ length: 400 }, (_, i) => (i % 2 ? `x${i}` : i / 8));
const tagValues: Json[] = [
  ["a"],
  ["A", "a", "b"],
  "a",
  3,
  [3, "3", null, true],
  ["b", [["a"], 0.5, { a: "c" }]],
  [...manyElements, "A", "null", [1e-7, [false]], { b: "b" }],
  { a: "a" },
];
/** `foldCase` and `foldEmail` differ in some of them. */
const userNames = ["Straße", "STRASSE", "ı", "İ", "i", "ΟΔΟΣ", "οδος", "ﬁ"];
const departments = ["sales", "Sales", "engines", "3", ""];

/** Records with names, emails and custom fields that are hard to sort, filter and search. */
export function sampleRecords(): UserRecord[] {
  return Array.from({ length: 150 }, (_, i) => {
    const record: UserRecord = { name: `${names[i % names.length]}${i % 5 === 0 ? "" : ` ${i % 13}`}` };
    if (i % 3 !== 0) record.email = `${i % 2 ? "User" : "é"}${i}@${i % 4 ? "example.com" : "Exämple.org"}`;
    if (i % 5 < 3) record.userName = `${userNames[i % userNames.length]}${i % 7 === 0 ? "" : " "}${i}`;
    record.department = departments[i % departments.length] ?? "";
    if (i % 4 === 0) record.level = i % 6;
    if (i % 7 === 0) record.active = i % 2 === 0;
    if (i % 11 === 0) record.note = null;
    if (i % 13 < 8) record.tags = tagValues[i % 13] ?? null;
    if (i % 17 === 0) record.address = { city: "a", tags: ["a"] };
    return record;
  });
}

type UserFilter = UserListQuery["filters"][number];

/**
 * Any query about these users, with values that match some of them and values that match none. `others` are the ids of groups to filter
 * by.
 */
export function arbitraryQuery(
  users: readonly ModelRow[],
  others: readonly number[],
): fc.Arbitrary<UserListQuery> {
  const some = <T>(from: readonly T[]) =>
    fc.uniqueArray(fc.constantFrom(...from), { minLength: 1, maxLength: 3 });
  const value = (field: string, values: string[]): fc.Arbitrary<UserFilter> =>
    some(values).map((chosen) => ({ kind: "custom", field, values: chosen }));
  const membership: fc.Arbitrary<UserFilter> = fc
    .tuple(fc.constantFrom("id", "name", "any"), some(others), fc.boolean())
    .map(([by, ids, negated]): MembershipFilter => {
      const kind = "membership";
      if (by === "any") return { kind, by, values: [], negated };
      if (by === "id") return { kind, by, values: ids, ...(negated && { negated }) };
      return { kind, by: "name", values: ids.map(sampleGroupName), negated };
    });
  const filter: fc.Arbitrary<UserFilter> = fc.oneof(
    { weight: 4, arbitrary: membership },
    some(users.map(({ id }) => id).concat(9999)).map(
      (ids): UserFilter => ({ kind: "column", field: "id", values: ids }),
    ),
    some(users.map(({ email }) => foldEmail(email ?? "none@none"))).map(
      (keys): UserFilter => ({ kind: "column", field: "email", values: keys }),
    ),
    some(users.map(({ createdAt }) => Date.parse(createdAt))).map(
      (numbers): UserFilter => ({ kind: "column", field: "createdAt", values: numbers }),
    ),
    some(users.map(({ updatedAt }) => Date.parse(updatedAt))).map(
      (numbers): UserFilter => ({ kind: "column", field: "updatedAt", values: numbers }),
    ),
    some(
      users.flatMap(({ userName }) =>
        typeof userName === "string" ? [userName, userName.toUpperCase()] : [],
      ),
    ).map((values): UserFilter => ({ kind: "custom", field: "userName", values })),
    value("department", [...departments, "none"]),
    value("level", ["0", "2", "4", "5"]),
    value("active", ["true", "false"]),
    value("note", ["null"]),
    value("edited", ["true"]),
    value("tags", ["a", "A", "b", "c", "3", "0.5", "null", "true", "false", "1e-7", "x399", "399", "49.75"]),
    value("address", ["a"]),
    some([1, 2, 3]).map((numbers): UserFilter => ({ kind: "column", field: "version", values: numbers })),
    some(names.map(foldCase)).map((keys): UserFilter => ({ kind: "column", field: "name", values: keys })),
  );
  const pieces = fc.oneof(
    fc
      .constantFrom(...users.map(({ name }) => name), ...users.map(({ email }) => email ?? "x"))
      .chain((text) => {
        const characters = [...foldText(text)];
        return fc.tuple(fc.nat(characters.length - 1), fc.integer({ min: 1, max: 8 })).map(
          ([start, length]) =>
            characters
              .slice(start, start + length)
              .join("")
              .trim() || "a",
        );
      }),
    fc.constantFrom("ada", "a", "lo", "1", "example", "nobody at all", '"', "' OR 1=1", "%", "*"),
  );
  return fc.record({
    sort: fc.constantFrom(...columnFields),
    descending: fc.boolean(),
    limit: fc.oneof(fc.integer({ min: 1, max: 12 }), fc.constant(100)),
    from: fc.constant(undefined),
    offset: fc.oneof(fc.constant(0), fc.nat(30), fc.nat(200)),
    search: fc.option(fc.uniqueArray(pieces, { minLength: 1, maxLength: 3 }), { nil: undefined }),
    filters: fc.uniqueArray(filter, {
      maxLength: 3,
      selector: (chosen) =>
        chosen.kind === "membership" ? `group ${chosen.by} ${chosen.negated ?? false}` : chosen.field,
    }),
    count: fc.constant(false),
  });
}
