import {
  type Attribute,
  commonAttributes,
  groupKind,
  type ResourceKind,
  userKind,
} from "../../../../src/scim/attributes.ts";
import type { JsonMembers } from "../json-text.ts";
import { formatMembers, jsonMembers, jsonString, jsonValue, validValue } from "../json-text.ts";
import { departments, oddNumber, oddText } from "../odd-text.ts";
import { PLANTED_SECRET } from "../planted-secret.ts";
import type { Random } from "../random.ts";

type Member = JsonMembers[number];

const quote = (text: string) => JSON.stringify(text);

/** An item of a list that has any. */
export function pickFrom<Item>(random: Random, items: readonly Item[]): Item {
  const [first, ...others] = items;
  if (first === undefined) throw new Error("The list is empty.");
  return random.pick([first, ...others]);
}

/** Names of SCIM match in any case. */
export function spell(random: Random, name: string): string {
  if (random.chance(0.92)) return name;
  return random.chance(0.5) ? name.toUpperCase() : name.toLowerCase();
}

/** The attributes of resources that need no URN. */
export const attributesOf = ({ core }: ResourceKind): readonly Attribute[] => [
  ...core.attributes,
  ...commonAttributes,
];

const texts = [
  "Ada",
  "Engines",
  "de-DE",
  "ada@example.com",
  "+47 22 00 00 00",
  "7",
  "2026-01-01T00:00:00Z",
] as const;

/** A value of an attribute as JSON, or nearly. */
export function attributeValue(random: Random, attribute: Attribute): string {
  if (random.chance(0.02)) return jsonValue(random);
  if (random.chance(0.04)) return random.pick(["null", "[]", "{}", '""', "[null]"]);
  const { type, multiValued, subAttributes = [], canonicalValues } = attribute;
  if (attribute.name === "members") return membersValue(random);
  if (type === "boolean")
    return random.chance(0.97) ? random.pick(["true", "false", '"True"', '"false"']) : "1";
  if (type !== "complex") {
    if (canonicalValues && random.chance(0.7)) return quote(pickFrom(random, canonicalValues));
    if (random.chance(0.7)) return quote(random.pick(texts));
    return random.chance(0.9) ? quote(oddText(random)) : jsonString(random);
  }
  const entry = () => entryValue(random, subAttributes);
  if (!multiValued) return random.chance(0.9) ? entry() : quote("7");
  return random.chance(0.9) ? `[${random.several(0, random.chance(0.02) ? 60 : 3, entry).join()}]` : entry();
}

function entryValue(random: Random, subAttributes: readonly Attribute[]): string {
  const members: Member[] = [];
  for (const each of subAttributes) {
    // Two primary entries are refused, so only few entries say which one is.
    if (random.chance(each.name === "primary" ? 0.15 : 0.6))
      members.push([spell(random, each.name), attributeValue(random, each)]);
  }
  if (random.chance(0.05)) members.push(secretMember(random));
  if (random.chance(0.05)) members.push(oddMember(random));
  return formatMembers(members);
}

const secretNames = [
  "password",
  "password",
  "PassWord",
  "pass_word",
  "x509Certificates",
  "clientSecret",
  "access-token",
  "pin",
] as const;

/** A member with a password, whose name says so. */
function secretMember(random: Random): Member {
  const value = quote(PLANTED_SECRET);
  return [random.pick(secretNames), random.pick([value, value, `[{"value":${value}}]`, `{"a":[${value}]}`])];
}

const oddMember = (random: Random): Member => [
  random.chance(0.3) ? random.pick(["__proto__", "constructor", "prototype", "urn:"]) : oddText(random),
  jsonValue(random),
];

/** The id of a user, as SCIM has it. Most of the first ones exist. */
export const userId = (random: Random) =>
  random.chance(0.95) ? String(random.between(1, 80)) : oddNumber(random);

/** The id of a group, as SCIM has it. */
export const groupId = (random: Random) =>
  `g${random.chance(0.95) ? random.between(1, 12) : oddNumber(random)}`;

/** The most members that a PATCH may change, and more than that. */
const manyMembers = [1000, 1001, 2500, 10_000, 10_001] as const;
const LARGE_BYTES = 8 * 1024 ** 2;

/** The value of `members`: objects, texts, or one of either. */
export function membersValue(random: Random): string {
  const member = () => {
    if (random.chance(0.03)) return random.chance(0.5) ? quote(groupId(random)) : jsonValue(random);
    const id = quote(userId(random));
    return random.chance(0.3)
      ? id
      : random.pick([
          `{"value":${id}}`,
          `{"Value":${id},"display":"Ada"}`,
          `{"value":${id},"type":"User","$ref":"../Users/1"}`,
        ]);
  };
  if (random.chance(0.1)) return member();
  if (random.chance(0.001)) return `[${'"1",'.repeat(LARGE_BYTES / 4 - random.below(20))}"2"]`;
  const most = random.chance(0.01) ? random.pick(manyMembers) : 5;
  return `[${random.several(most === 5 ? 0 : most, most, member).join()}]`;
}

/** The attributes of an extension that no schema has. */
function freeMembers(random: Random): Member[] {
  const member = (): Member => {
    if (random.chance(0.15)) return secretMember(random);
    if (random.chance(0.1)) return oddMember(random);
    const name = random.pick(["level", "Zone", "badge", "address", "name", "id", "title", "groups"]);
    return [name, random.chance(0.7) ? validValue(random) : jsonValue(random)];
  };
  return random.several(0, 4, member);
}

export const unknownUrn = "urn:example:params:scim:schemas:Badge";

/** The members of the extensions of a resource. */
function extensionMembers(random: Random, { core, extensions, customUrn }: ResourceKind): Member[] {
  const members: Member[] = [];
  for (const { id, attributes } of extensions) {
    if (!random.chance(0.4)) continue;
    const one = (): Member => {
      const attribute = pickFrom(random, attributes);
      return [spell(random, attribute.name), attributeValue(random, attribute)];
    };
    if (random.chance(0.1)) {
      const [name, value] = one();
      members.push([`${id}:${name}`, value]);
    } else members.push([spell(random, id), formatMembers(random.several(0, 4, one))]);
  }
  for (const urn of [customUrn, unknownUrn, core.id]) {
    if (random.chance(urn === core.id ? 0.02 : 0.2))
      members.push([
        spell(random, urn),
        random.chance(0.95) ? formatMembers(freeMembers(random)) : jsonValue(random),
      ]);
  }
  return members;
}

/** The name that identifies a resource: mostly a new one. */
function nameMember(random: Random, kind: ResourceKind): Member {
  const isUser = kind === userKind;
  const names = isUser
    ? ["ada@example.com", `user${random.below(100)}`, "roster-7", `USER${random.below(100)}`]
    : ["Sales", "sALES ", `Group ${random.below(50)}`];
  const unique = `${isUser ? "user" : "Group "}${random.below(1_000_000)}`;
  const value = random.weighted({ new: 14, known: 4, odd: 1, value: 1 });
  const texts = { new: quote(unique), known: quote(pickFrom(random, names)), odd: quote(oddText(random)) };
  return [
    spell(random, isUser ? "userName" : "displayName"),
    value === "value" ? jsonValue(random) : texts[value],
  ];
}

/** Sizes that fit nearly, and sizes that do not. */
const sizes = [15_000, 17_000, 70_000, 1_100_000] as const;

/** The document of a resource, mostly valid. */
export function resourceJson(random: Random, kind: ResourceKind): string {
  const schemas = [
    kind.core.id,
    ...kind.extensions.map(({ id }) => id),
    unknownUrn,
    "urn:scim:schemas:core:1.0",
  ];
  const members: Member[] = [];
  if (random.chance(0.8))
    members.push(["schemas", JSON.stringify(random.several(0, 3, () => pickFrom(random, schemas)))]);
  if (random.chance(0.95)) members.push(nameMember(random, kind));
  if (kind === groupKind && random.chance(0.6)) members.push(["members", membersValue(random)]);
  for (const attribute of random.several(0, 5, () => pickFrom(random, attributesOf(kind)))) {
    members.push([spell(random, attribute.name), attributeValue(random, attribute)]);
  }
  members.push(...extensionMembers(random, kind));
  if (random.chance(0.25)) members.push(secretMember(random));
  if (random.chance(0.1)) members.push(oddMember(random));
  if (random.chance(0.1)) members.push(["department", quote(random.pick(departments))]);
  if (random.chance(0.01)) members.push([unknownUrn, `{"a":"${"x".repeat(random.pick(sizes))}"}`]);
  return jsonMembers(random, members);
}
