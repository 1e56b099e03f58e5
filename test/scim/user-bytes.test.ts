import { expect, test } from "bun:test";
import fc from "fast-check";
import type { Json, JsonObject } from "../../src/contract/json.ts";
import { finishSteps } from "../../src/domain/scheduling/steps.ts";
import { writeUserDocuments } from "../../src/scim/user-bytes.ts";
import { userDocument } from "../../src/scim/user-document.ts";

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

test("the documents of users are written from their JSON as from the users", () => {
  fc.assert(
    fc.property(fc.array(users, { maxLength: 50 }), (some) => {
      const json = new TextEncoder().encode(JSON.stringify(some));
      const written = new TextDecoder().decode(finishSteps(writeUserDocuments(json, locate)));
      const documents = some.map((user) => userDocument(user, locate));
      expect(JSON.parse(`[${written}]`)).toEqual(JSON.parse(JSON.stringify(documents)));
    }),
    { numRuns: 500 },
  );
});
