import fc from "fast-check";
import type { Json, JsonObject } from "../../../src/contract/json.ts";
import { type Attribute, commonAttributes, type ResourceKind } from "../../../src/scim/attributes.ts";

/** Text as clients send it: short, empty, long, with accents and spaces. */
const text = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.constantFrom("", " ", "Zoë Müller", "a@b.example", "ADA@example.com", "True", "x".repeat(300)),
);
const unassigned: fc.Arbitrary<Json> = fc.constantFrom<Json[]>(null, [], {});

function arbitraryValue(attribute: Attribute): fc.Arbitrary<Json> {
  const { type, subAttributes = [], multiValued, name } = attribute;
  if (type === "boolean") return fc.oneof(fc.boolean(), fc.constantFrom("True", "false"));
  if (type !== "complex") return name === "type" ? fc.constantFrom("work", "home", "Other", "x") : text;
  const entry = membersOf(subAttributes);
  // Two primary entries are an error: see the test of errors.
  const isMain = (value: JsonObject) => /^true$/i.test(String(value.primary));
  const list = fc.array(entry, { maxLength: 3 }).filter((entries) => entries.filter(isMain).length < 2);
  return multiValued ? list : entry;
}

/** An object with some of the attributes. */
function membersOf(attributes: readonly Attribute[]): fc.Arbitrary<JsonObject> {
  const members = attributes.map(
    ({ name, ...attribute }) => [name, arbitraryValue({ name, ...attribute })] as const,
  );
  return fc.record(Object.fromEntries(members), { requiredKeys: [] });
}

const customValue: fc.Arbitrary<Json> = fc.oneof(
  text,
  fc.integer(),
  fc.boolean(),
  fc.array(fc.integer(), { maxLength: 3 }),
  fc.record({ city: text, codes: fc.array(text, { maxLength: 2 }), none: unassigned }, { requiredKeys: [] }),
);
const customFields = fc.dictionary(fc.constantFrom("badge", "level", "Zone", "home_office"), customValue, {
  maxKeys: 3,
});

/** A resource without the attribute that names it, with some of all attributes of the table, and with some that no table has. */
export function arbitraryResource(kind: ResourceKind): fc.Arbitrary<JsonObject> {
  const { core, extensions, customUrn } = kind;
  const unknownUrn = "urn:example:params:scim:schemas:Badge";
  return fc
    .tuple(
      membersOf([...core.attributes, ...commonAttributes.filter(({ name }) => name === "externalId")]),
      fc.record(
        {
          ...Object.fromEntries(extensions.map(({ id, attributes }) => [id, membersOf(attributes)])),
          [customUrn]: customFields,
          [unknownUrn]: customFields,
          unknown: customValue,
          password: text,
          schemas: fc.constant([core.id]),
        },
        { requiredKeys: [] },
      ),
      fc.record({ nickName: unassigned, title: unassigned }, { requiredKeys: [] }),
      fc.boolean(),
    )
    .map(([known, others, nothing, isLowerCase]) => {
      const resource = { ...known, ...others, ...nothing };
      // Names match in any case.
      return isLowerCase
        ? withNames(resource, (name) => (name === "nickName" ? "NICKNAME" : name))
        : resource;
    });
}

function withNames(object: JsonObject, rename: (name: string) => string): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [rename(name), value]));
}
