import fc from "fast-check";
import type { Json, JsonObject } from "../../../src/contract/json.ts";
import { groupKind, type ResourceKind, userKind } from "../../../src/scim/attributes.ts";
import { slotsOf } from "../../../src/scim/field-slots.ts";

const text = fc.oneof(fc.string({ maxLength: 6 }), fc.constantFrom("", "ada@example.com", "a\nb"));
const flag = fc.boolean();
/** Entries as they fit, or nearly. */
const entry = fc.record(
  {
    value: fc.oneof(text, fc.constantFrom<Json>(null, 5)),
    type: fc.oneof(fc.constantFrom("work", "home"), text),
    display: text,
    primary: fc.oneof({ weight: 4, arbitrary: flag }, { weight: 1, arbitrary: text }),
    TYPE: text,
    extra: fc.constantFrom<Json>(1, null, { token: "t" }, [null]),
  },
  { requiredKeys: [] },
);
/** Any JSON, such as programs store in custom fields. */
const anyJson = fc.oneof(
  text,
  fc.integer(),
  flag,
  fc.constantFrom<Json>(
    null,
    [],
    {},
    { password: "p", a: null },
    [null, []],
    { $ref: "x", value: "7" },
    {
      $ref: "https://idp.example/Users/7",
      value: "7",
    },
  ),
  fc.array(entry, { maxLength: 3 }),
  entry,
) as fc.Arbitrary<Json>;

/** A record with values that fit their attributes and others that do not, as programs write it through the API. */
function arbitraryFields(kind: ResourceKind, more: readonly string[]): fc.Arbitrary<JsonObject> {
  const mapped = slotsOf(kind).map(({ field }) => field);
  const names = fc.constantFrom(
    ...mapped.filter((field) => field !== "name"),
    ...more,
    "level",
    "displayName",
    "Zone",
  );
  return fc.dictionary(names, anyJson, { maxKeys: 8, noNullPrototype: true });
}

const scim = fc.record(
  {
    displayName: fc.constantFrom<Json>(null, "x"),
    note: text,
    extensions: fc.oneof(
      fc.dictionary(fc.constantFrom("urn:a:User", "urn:b:2.0:User", "title", userKind.customUrn), anyJson, {
        noNullPrototype: true,
      }),
      fc.constantFrom<Json>(null, 5, []),
    ),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<JsonObject>;

/** The members of an object that are not undefined. */
function defined(object: Readonly<Record<string, Json | undefined>>): JsonObject {
  return Object.fromEntries(
    Object.entries(object).filter((member): member is [string, Json] => member[1] !== undefined),
  );
}

/** A user as programs write it through the API. */
export const arbitraryUser: fc.Arbitrary<JsonObject> = fc
  .record({
    fields: arbitraryFields(userKind, ["emails"]),
    name: fc.constantFrom("Ada", "Ada King", "a b"),
    email: fc.option(fc.constantFrom("ada@example.com", "b@x.example"), { nil: undefined }),
    userName: fc.option(fc.constantFrom("ada", "roster-42"), { nil: undefined }),
    active: fc.option(flag, { nil: undefined }),
    scim: fc.option(scim, { nil: undefined }),
  })
  .map(({ fields, ...others }) => defined({ ...fields, ...others }));

/** A group as programs write it through the API. */
export const arbitraryGroup: fc.Arbitrary<JsonObject> = fc
  .record({
    fields: arbitraryFields(groupKind, []),
    scim: fc.option(scim, { nil: undefined }),
  })
  .map(({ fields, scim }) => defined({ ...fields, name: "Sales", scim }));
