import { coreNames, extensionNames, subNames } from "./attribute-names.ts";
import type { Attribute, AttributeSchema, ResourceKind } from "./attributes.ts";

/** What a name means: `userName`, `name.givenName`, `urn:…:User:department`, an extension alone. Names match in any case. */
export interface AttributePath {
  /** The URN of an extension: as the table has it, or as it was written if it is unknown. Undefined for the core schema. */
  readonly urn: string | undefined;
  /** In the spelling of the table where the attribute is known. None for an extension alone. */
  readonly names: readonly string[];
  readonly attribute?: Attribute;
  readonly sub?: Attribute;
}

/**
 * Finds the attribute. Without a URN, attributes of extensions are found too, unless the core schema has one of that name: Entra
 * sends `manager`.
 */
export function resolvePath(
  kind: ResourceKind,
  urn: string | undefined,
  names: readonly string[],
): AttributePath {
  const [name, ...rest] = names;
  const canonical = urn === undefined || isUrn(urn, kind.core.id) ? undefined : (findUrn(kind, urn) ?? urn);
  if (name === undefined) return { urn: canonical, names };
  const found = canonical === undefined ? findWithoutUrn(kind, name) : findInExtension(kind, canonical, name);
  if (!found) return { urn: canonical, names };
  const { attribute } = found;
  const [subName, ...deeper] = rest;
  const sub = subName === undefined ? undefined : subNames(attribute).find(subName);
  const others = subName === undefined ? [] : [sub?.name ?? subName, ...deeper];
  return { urn: found.urn, names: [attribute.name, ...others], attribute, ...(sub && { sub }) };
}

interface Found {
  readonly urn: string | undefined;
  readonly attribute: Attribute;
}

function findWithoutUrn(kind: ResourceKind, name: string): Found | undefined {
  const attribute = coreNames(kind).find(name);
  if (attribute) return { urn: undefined, attribute };
  for (const extension of kind.extensions) {
    const found = extensionNames(extension).find(name);
    if (found) return { urn: extension.id, attribute: found };
  }
  return undefined;
}

function findInExtension(kind: ResourceKind, urn: string, name: string): Found | undefined {
  const extension = findExtension(kind, urn);
  const attribute = extension && extensionNames(extension).find(name);
  return attribute && { urn, attribute };
}

/** The schema of an extension whose attributes are fields of the record. */
export function findExtension(kind: ResourceKind, urn: string): AttributeSchema | undefined {
  return kind.extensions.find(({ id }) => isUrn(id, urn));
}

/** The URN of a known extension, as the table has it. Also that of the custom fields. */
export function findUrn(kind: ResourceKind, urn: string): string | undefined {
  return kind.extensionUrns.find((known) => isUrn(known, urn));
}

/** Whether the table has the schema of this URN, or it is that of the custom fields. */
export function isKnownUrn(kind: ResourceKind, urn: string): boolean {
  return isUrn(urn, kind.core.id) || findUrn(kind, urn) !== undefined;
}

/** URNs of schemas match in any case. */
export function isUrn(urn: string, other: string): boolean {
  return urn === other || (urn.length === other.length && urn.toLowerCase() === other.toLowerCase());
}

/** Whether a name is a URN, rather than the name of an attribute. */
export function looksLikeUrn(name: string): boolean {
  return name[3] === ":" && name.slice(0, 3).toLowerCase() === "urn";
}

/**
 * Splits `urn:…:2.0:User:manager.value` into the URN and the rest. A known URN alone has an empty rest. Of an unknown one, the
 * part after the last colon is the rest if it can be the name of an attribute, rather than `User` or a version.
 */
export function splitUrn(kind: ResourceKind, text: string): { urn: string | undefined; rest: string } {
  if (!looksLikeUrn(text)) return { urn: undefined, rest: text };
  const bracket = text.indexOf("[");
  const colon = text.lastIndexOf(":", bracket < 0 ? text.length : bracket);
  for (const urn of [kind.core.id, ...kind.extensionUrns]) {
    if (isUrn(text, urn)) return { urn, rest: "" };
    if (colon === urn.length && isUrn(text.slice(0, colon), urn)) return { urn, rest: text.slice(colon + 1) };
  }
  const rest = text.slice(colon + 1);
  return colon > "urn".length && ATTRIBUTE_START.test(rest) && !RESOURCE.test(rest)
    ? { urn: text.slice(0, colon), rest }
    : { urn: text, rest: "" };
}

const ATTRIBUTE_START = /^[A-Za-z$]/;
const RESOURCE = /^(?:user|group)$/i;
