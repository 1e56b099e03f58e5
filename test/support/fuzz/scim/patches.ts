import { type Attribute, type ResourceKind, userKind } from "../../../../src/scim/attributes.ts";
import { formatMembers, type JsonMembers, jsonMembers, jsonValue } from "../json-text.ts";
import { oddText } from "../odd-text.ts";
import { PLANTED_SECRET } from "../planted-secret.ts";
import type { Random } from "../random.ts";
import { attributeName, filterText } from "./queries.ts";
import {
  attributesOf,
  attributeValue,
  membersValue,
  pickFrom,
  resourceJson,
  spell,
  unknownUrn,
  userId,
} from "./resources.ts";

/** Paths that are wrong, or nearly. */
const hostilePaths = [
  "members[",
  "emails[]",
  "emails[].value",
  "emails[0].value",
  'emails[type eq "work"',
  'emails[type eq "work"].value.x',
  'emails[type eq "work"][primary eq true].value',
  'title[type eq "work"]',
  "name..givenName",
  ".title",
  "/title",
  "a.b.c",
  "__proto__",
  "name.__proto__",
  "constructor.prototype",
  'emails[__proto__ eq "x"].constructor',
  `${unknownUrn}:a[__proto__ eq "x"].b`,
  `${unknownUrn}:__proto__`,
  unknownUrn,
  "id",
  "meta.version",
  "groups",
  "schemas",
  "\u0000",
  "",
  `emails[type eq "${"x".repeat(4097)}"]`,
  `emails[${"(".repeat(9)}type eq "work"${")".repeat(9)}].value`,
  "[".repeat(20_000),
] as const;

interface Target {
  readonly path: string;
  readonly value: string;
}

/** A path, with a value that the attribute at the path can have. */
function createTarget(random: Random, kind: ResourceKind): Target {
  if (random.chance(0.08)) return { path: random.pick(hostilePaths), value: jsonValue(random) };
  if (random.chance(0.02)) return { path: attributeName(random, kind), value: jsonValue(random) };
  if (random.chance(0.05)) return secretTarget(random, kind);
  const [extension] = kind.extensions;
  const isExtension = extension !== undefined && random.chance(0.2);
  const attribute = pickFrom(random, isExtension ? extension.attributes : writable(kind));
  const urn = isExtension ? extension.id : random.chance(0.05) ? kind.core.id : undefined;
  const { path, value } = inside(random, attribute);
  return { path: spell(random, urn === undefined ? path : `${urn}:${path}`), value };
}

/** Attributes that only the service writes are among the wrong paths. */
const writable = (kind: ResourceKind) =>
  attributesOf(kind).filter(({ mutability }) => mutability !== "readOnly");

/** The attribute, one of its entries, or a part of either. */
function inside(random: Random, attribute: Attribute): Target {
  const { name, multiValued, subAttributes = [] } = attribute;
  if (name === "members") return memberTarget(random);
  if (subAttributes.length === 0 || random.chance(0.3)) {
    return { path: name, value: attributeValue(random, attribute) };
  }
  const sub = pickFrom(random, subAttributes);
  const filter = () => entryFilter(random, subAttributes);
  const where = multiValued && random.chance(0.8) ? `[${filter()}]` : "";
  return where !== "" && random.chance(0.3)
    ? { path: name + where, value: formatMembers([[sub.name, attributeValue(random, sub)]]) }
    : { path: `${name}${where}.${sub.name}`, value: attributeValue(random, sub) };
}

function entryFilter(random: Random, subAttributes: readonly Attribute[]): string {
  if (random.chance(0.8))
    return random.pick(['type eq "work"', 'type eq "home"', "primary eq true", 'primary eq "True"']);
  return filterText(random, () => pickFrom(random, subAttributes).name, 2);
}

function memberTarget(random: Random): Target {
  const path = random.pick(["members", "members", `members[value eq "${userId(random)}"]`, "members.value"]);
  return { path, value: membersValue(random) };
}

/** Passwords at every place that has a name for them. */
function secretTarget(random: Random, { core, customUrn }: ResourceKind): Target {
  const value = JSON.stringify(PLANTED_SECRET);
  return random.pick<Target>([
    { path: spell(random, "password"), value },
    { path: `${core.id}:password`, value },
    { path: `${customUrn}:apiKey`, value },
    { path: `${unknownUrn}:a.password`, value },
    { path: 'emails[type eq "work"].password', value },
    { path: "x509Certificates", value: `[{"value":${value}}]` },
    { path: unknownUrn, value: `{"a":{"pass-word":${value}}}` },
    { path: "roles", value: `[{"value":"x","password":${value}}]` },
  ]);
}

function operationJson(random: Random, kind: ResourceKind): string {
  if (random.chance(0.02)) return jsonValue(random);
  const op = random.pick(["add", "replace", "remove", "Add", "Replace", "REMOVE"]);
  const members: [string, string][] = [["op", JSON.stringify(random.chance(0.97) ? op : oddText(random))]];
  const { path, value } = createTarget(random, kind);
  const isWhole = random.chance(0.25);
  if (!isWhole) members.push(["path", JSON.stringify(path)]);
  const isRemoval = op.toLowerCase() === "remove";
  if (isWhole) members.push(["value", wholeValue(random, kind, path, value)]);
  else if (!isRemoval || random.chance(0.2)) members.push(["value", value]);
  return jsonMembers(
    random,
    members.map(([name, each]) => [spell(random, name), each] as const),
  );
}

/** The value of an operation without a path: a resource, or names that are paths. */
function wholeValue(random: Random, kind: ResourceKind, path: string, value: string): string {
  if (random.chance(0.3)) return resourceJson(random, kind);
  const more = random.several(0, 2, () => createTarget(random, kind));
  const members: JsonMembers = [{ path, value }, ...more].map((each) => [each.path, each.value]);
  return formatMembers(members);
}

/** A change, and one after it that only the transaction can refuse: nothing may be half done. */
function doomedJson(random: Random, kind: ResourceKind): string {
  const change = { op: "replace", path: "externalId", value: `half-done-${random.below(1000)}` };
  const refused =
    kind === userKind
      ? random.pick([
          { op: "replace", path: "userName", value: "ada@example.com" },
          { op: "add", path: `${unknownUrn}:a`, value: "x".repeat(20_000) },
        ])
      : random.pick([
          { op: "add", path: "members", value: [{ value: "1" }, { value: "987654321" }] },
          { op: "replace", path: "members", value: [{ value: "987654321" }] },
          { op: "replace", path: "displayName", value: "team 1" },
        ]);
  return JSON.stringify({ Operations: [change, refused] });
}

/** The body of a PATCH, mostly valid. */
export function patchJson(random: Random, kind: ResourceKind): string {
  if (random.chance(0.15)) return doomedJson(random, kind);
  const most = random.chance(0.004) ? random.pick([999, 1001]) : 2;
  // The first operation of many stands for all: to make a thousand different ones would take long.
  const one = operationJson(random, kind);
  const operations =
    most === 2
      ? random.several(0, most, () => operationJson(random, kind))
      : Array.from({ length: most }, () => one);
  const members: [string, string][] = [[spell(random, "Operations"), `[${operations.join()}]`]];
  if (random.chance(0.7)) members.push(["schemas", '["urn:ietf:params:scim:api:messages:2.0:PatchOp"]']);
  return jsonMembers(random, members);
}
