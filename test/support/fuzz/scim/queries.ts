import { groupKind, type ResourceKind, userKind } from "../../../../src/scim/attributes.ts";
import { jsonMembers, jsonValue } from "../json-text.ts";
import { oddNumber, oddText } from "../odd-text.ts";
import { PLANTED_SECRET } from "../planted-secret.ts";
import { queryValue } from "../queries.ts";
import type { Random } from "../random.ts";
import { attributesOf, groupId, pickFrom, spell, unknownUrn, userId } from "./resources.ts";

const operators = ["eq", "ne", "co", "sw", "ew", "gt", "ge", "lt", "le", "EQ", "is"] as const;

/** The name of an attribute or a sub-attribute, with or without its URN. */
export function attributeName(random: Random, kind: ResourceKind): string {
  if (random.chance(0.06)) return random.chance(0.5) ? oddText(random) : random.pick(hostileNames);
  const [enterprise] = kind.extensions;
  const isExtension = enterprise !== undefined && random.chance(0.2);
  const attribute = pickFrom(random, isExtension ? enterprise.attributes : attributesOf(kind));
  const { subAttributes = [] } = attribute;
  const sub =
    subAttributes.length > 0 && random.chance(0.5) ? `.${pickFrom(random, subAttributes).name}` : "";
  const urn = isExtension ? enterprise.id : kind.core.id;
  const prefix = random.chance(isExtension ? 0.7 : 0.08) ? `${urn}:` : "";
  if (random.chance(0.08)) return `${random.pick([kind.customUrn, unknownUrn])}:level`;
  return spell(random, `${prefix}${attribute.name}${sub}`);
}

const hostileNames = [
  "__proto__",
  "constructor.prototype",
  "a.b.c",
  "members[",
  "]",
  "password",
  "x509Certificates.value",
  "schemas",
  "urn:",
  "urn:ietf:params:scim:schemas:core:2.0:User",
  "$ref",
  "1",
  "é",
] as const;

/** A comparison or a combination of some. `name` makes the names of attributes. */
export function filterText(random: Random, name: () => string, levels: number): string {
  if (random.chance(0.02)) return oddText(random);
  const part = () => filterText(random, name, levels - 1);
  if (levels > 0 && random.chance(0.35)) {
    return random.pick([
      () => `${part()} and ${part()}`,
      () => `${part()} OR (${part()})`,
      () => `not (${part()})`,
      () => `${name()}[${part()}]`,
    ])();
  }
  if (random.chance(0.15)) return `${name()} ${random.pick(["pr", "PR"])}`;
  const value = random.pick([
    () =>
      JSON.stringify(random.pick(["ada@example.com", "work", "Engines", "7", "g1", "2026-01-01T00:00:00Z"])),
    () => JSON.stringify(oddText(random)),
    () =>
      random.pick(["true", '"False"', "null", "jyoung", "example.com", "[]", "2026-01-01T00:00:00.1-07:00"]),
    () => oddNumber(random),
  ])();
  return `${name()} ${random.pick(operators)} ${value}`;
}

function listFilter(random: Random, kind: ResourceKind): string {
  return random.pick([
    () => filterText(random, () => attributeName(random, kind), 3),
    () => filterText(random, () => attributeName(random, kind), 1),
    () => `userName eq "user${random.below(100)}"`,
    () => `members eq "${userId(random)}"`,
    () => `groups.value eq "${groupId(random)}"`,
    () => `${random.pick(["password", "x509Certificates.value"])} eq "${PLANTED_SECRET}"`,
    () => `${"(".repeat(random.pick([8, 9, 2000]))}id pr`,
    () => Array.from({ length: random.pick([10, 101, 400]) }, () => "active eq true").join(" or "),
  ])();
}

const names = [
  "filter",
  "filter",
  "startIndex",
  "count",
  "count",
  "sortBy",
  "sortOrder",
  "cursor",
  "attributes",
  "excludedAttributes",
] as const;

/** A value of a parameter of lists, or nearly. */
function parameterValue(random: Random, name: (typeof names)[number], kind: ResourceKind): string {
  if (random.chance(0.05)) return oddText(random);
  switch (name) {
    case "filter":
      return listFilter(random, kind);
    case "startIndex":
    case "count":
      return random.chance(0.7) ? String(random.between(-1, 12)) : oddNumber(random);
    case "sortBy":
      return attributeName(random, kind);
    case "sortOrder":
      return random.pick(["ascending", "descending", "DESCENDING", "sideways"]);
    case "cursor":
      return random.pick(["", "1.", "0.x", queryValue(random, "after"), `0.${queryValue(random, "after")}`]);
    case "attributes":
    case "excludedAttributes":
      return random
        .several(0, random.chance(0.01) ? 501 : 4, () => attributeName(random, kind))
        .join(random.pick([",", ", ", " "]));
  }
}

const anyKind = (random: Random) => (random.chance(0.7) ? userKind : groupKind);

/** Parameters of a list, as names and values. Some come twice, some are unknown. */
export function scimParameters(random: Random): (readonly [name: string, value: string])[] {
  const kind = anyKind(random);
  const parameter = (): readonly [string, string] => {
    const name = random.pick(names);
    if (random.chance(0.06)) return [oddText(random), oddText(random)];
    return [random.chance(0.97) ? name : spell(random, name), parameterValue(random, name, kind)];
  };
  return random.several(0, 4, parameter);
}

/** The body of a search. */
export function searchJson(random: Random): string {
  const members = scimParameters(random).map(([name, value]): [string, string] => {
    if (random.chance(0.05)) return [name, jsonValue(random)];
    if (/attributes/i.test(name) && random.chance(0.8)) return [name, JSON.stringify(value.split(","))];
    const isNumber = /^(count|startIndex)$/.test(name) && /^-?(0|[1-9]\d{0,15})$/.test(value);
    return [spell(random, name), isNumber ? value : JSON.stringify(value)];
  });
  return jsonMembers(random, members);
}
