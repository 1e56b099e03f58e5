import fc from "fast-check";
import type { Json, JsonObject } from "../../../src/contract/json.ts";
import { type Attribute, commonAttributes, type ResourceKind } from "../../../src/scim/attributes.ts";

/** Text as clients send it: short, empty, long, with accents and spaces. */
const anyText = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.constantFrom("", " ", "Zoë Müller", "a@b.example", "ADA@example.com", "True", "x".repeat(300)),
);
const unassigned = fc.constantFrom<Json>(null, [], {});

/** An object with some of the members. */
function someOf(members: Readonly<Record<string, fc.Arbitrary<Json>>>): fc.Arbitrary<JsonObject> {
  return fc.record(members, { requiredKeys: [] }).map((object) => {
    const sent: JsonObject = {};
    for (const [name, value] of Object.entries(object)) if (value !== undefined) sent[name] = value;
    return sent;
  });
}

/** A value that clients send for the attribute. */
export function arbitraryValue(
  { type, name, subAttributes = [], multiValued }: Attribute,
  text: fc.Arbitrary<string>,
): fc.Arbitrary<Json> {
  if (type === "boolean") return fc.oneof(fc.boolean(), fc.constantFrom("True", "false"));
  if (type !== "complex") return name === "type" ? fc.constantFrom("work", "home", "Other", "x") : text;
  const entry = arbitraryMembers(subAttributes, text);
  if (!multiValued) return entry;
  const isMain = ({ primary }: JsonObject) => /^true$/i.test(String(primary));
  return fc.array(entry, { maxLength: 3 }).filter((entries) => entries.filter(isMain).length < 2);
}

function arbitraryMembers(
  attributes: readonly Attribute[],
  text: fc.Arbitrary<string>,
): fc.Arbitrary<JsonObject> {
  return someOf(Object.fromEntries(attributes.map((each) => [each.name, arbitraryValue(each, text)])));
}

/** A value of an attribute that no table has. */
export function arbitraryCustomValue(text: fc.Arbitrary<string>): fc.Arbitrary<Json> {
  return fc.oneof(
    text,
    fc.integer(),
    fc.boolean(),
    fc.array(fc.integer(), { maxLength: 3 }),
    someOf({ city: text, codes: fc.array(text, { maxLength: 2 }), none: unassigned }),
  );
}

/**
 * A resource with some of all attributes of the table, some that no table has, and some without a value. It has neither an id nor
 * the attribute that names it.
 */
export function arbitraryResource(kind: ResourceKind, text = anyText): fc.Arbitrary<JsonObject> {
  const { core, extensions, customUrn } = kind;
  const customValue = arbitraryCustomValue(text);
  const customFields = someOf({
    badge: customValue,
    level: customValue,
    Zone: customValue,
    home_office: customValue,
  });
  const externalId = commonAttributes.filter(({ name }) => name === "externalId");
  const attributes = core.attributes.filter(({ uniqueness }) => uniqueness !== "server");
  return fc
    .tuple(
      arbitraryMembers([...attributes, ...externalId], text),
      someOf({
        ...Object.fromEntries(
          extensions.map(({ id, attributes: members }) => [id, arbitraryMembers(members, text)]),
        ),
        [customUrn]: customFields,
        "urn:example:params:scim:schemas:Badge": customFields,
        unknown: customValue,
        password: text,
        title: unassigned,
        // Names match in any case.
        NICKNAME: text,
      }),
    )
    .map(([known, others]) => ({ schemas: [core.id], ...known, ...others }));
}
