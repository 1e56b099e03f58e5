import { expect, test } from "bun:test";
import fc from "fast-check";
import type { Json, JsonObject } from "../../src/contract/json.ts";
import { userDocument } from "../../src/scim/user-document.ts";
import { formatUser } from "../../src/scim/user-text.ts";

const locate = (path: string) => `https://example.com/"scim"/v2${path}`;

const texts = fc.oneof(
  fc.string(),
  fc.string({ unit: "binary" }),
  fc.constantFrom("", '"', "\\", "\ud800", "é", "\u2028"),
);
const values: fc.Arbitrary<Json> = fc.oneof(
  { weight: 3, arbitrary: texts },
  fc.jsonValue().map((value): Json => JSON.parse(JSON.stringify(value))),
  fc.constantFrom<Json>(null, [], {}, true, 5, [null], { a: {} }, [{ value: "a", type: "work" }], {
    value: "7",
  }),
);
const fields = fc.constantFrom(
  ...["title", "nickName", "externalId", "givenName", "familyName", "formattedName", "department", "manager"],
  ...["roles", "phoneNumbers", "addresses", "level", "Password", "apiKey", "constructor", "emails", "scim"],
);
const users: fc.Arbitrary<JsonObject> = fc
  .record(
    {
      id: fc.integer({ min: 1 }),
      name: texts,
      email: texts,
      userName: texts,
      active: fc.boolean(),
      custom: fc.dictionary(fields, values),
      version: fc.integer({ min: 1 }),
    },
    { requiredKeys: ["id", "name", "custom", "version"] },
  )
  .map(({ custom, ...user }) => ({
    ...user,
    ...custom,
    ...{ createdAt: "2026-01-01T00:00:00.000Z", updatedAt: "2026-01-02T00:00:00.000Z" },
  }));

test("the JSON of a user is that of its document", () => {
  fc.assert(
    fc.property(users, (user) => {
      expect(JSON.parse(formatUser(user, locate))).toEqual(
        JSON.parse(JSON.stringify(userDocument(user, locate))),
      );
    }),
    { numRuns: 2000 },
  );
});
