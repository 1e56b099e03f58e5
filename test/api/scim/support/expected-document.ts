import { isObject, type Json, type JsonObject } from "../../../../src/contract/json.ts";
import { credentialFields } from "../../../../src/contract/users/field-name.ts";
import {
  type Attribute,
  commonAttributes,
  enterpriseSchema,
  type ResourceKind,
} from "../../../../src/scim/attributes.ts";

/**
 * What SCIM shows of a resource that a client has sent, in the simplest words: without `schemas`, `id`, `meta` and `members`. Names of
 * attributes are sent in any case, those of extensions as they are. `url` is that of the service.
 */
export function expectedDocument(kind: ResourceKind, sent: JsonObject, url: string): JsonObject {
  const document: JsonObject = kind.name === "User" ? { active: true } : {};
  const externalId = commonAttributes.filter(({ name }) => name === "externalId");
  const written = [...kind.core.attributes, ...externalId].filter(({ name }) => name !== "members");
  Object.assign(document, expectedAttributes(written, sent));
  for (const [urn, value] of Object.entries(sent)) {
    if (!urn.startsWith("urn:")) continue;
    const isEnterprise = urn === enterpriseSchema.id;
    const shown = isEnterprise
      ? expectedAttributes(enterpriseSchema.attributes, value)
      : (withoutEmpty(value) ?? {});
    // A custom field is the field of an attribute of the same name.
    const own = urn === kind.customUrn ? without(shown, Object.keys(document)) : shown;
    if (!isEmpty(own)) document[urn] = own;
  }
  if (typeof document.displayName === "string") document.displayName = document.displayName.trim();
  if (document.displayName === "") delete document.displayName;
  const enterprise = document[enterpriseSchema.id];
  if (isObject(enterprise) && isObject(enterprise.manager)) {
    enterprise.manager = expectedManager(enterprise.manager, url);
  }
  return document;
}

/** The URL of a manager who may be a user of this service follows from the id. */
function expectedManager(manager: JsonObject, url: string): JsonObject {
  const { value, $ref } = manager;
  const path = `/Users/${value}`;
  const follows = $ref === undefined ? /^[1-9]\d{0,14}$/.test(String(value)) : String($ref).endsWith(path);
  return follows ? { ...manager, $ref: `${url}/scim/v2${path}` } : manager;
}

function expectedAttributes(attributes: readonly Attribute[], sent: Json): JsonObject {
  const shown: JsonObject = {};
  for (const [name, value] of Object.entries(isObject(sent) ? sent : {})) {
    const attribute = attributes.find((each) => each.name.toLowerCase() === name.toLowerCase());
    if (!attribute || attribute.mutability === "readOnly") continue;
    const expected = expectedValue(attribute, value);
    if (expected !== undefined) shown[attribute.name] = expected;
  }
  return shown;
}

function expectedValue(attribute: Attribute, value: Json): Json | undefined {
  if (isEmpty(value)) return undefined;
  if (attribute.multiValued) return expectedEntries(attribute, Array.isArray(value) ? value : [value]);
  if (attribute.type === "boolean") return String(value).toLowerCase() === "true";
  return attribute.type === "complex" ? expectedMembers(attribute, value) : value;
}

/** Complex attributes that are one field keep the members that nobody knows. */
function expectedMembers(attribute: Attribute, value: Json): JsonObject | undefined {
  const known = attribute.subAttributes ?? [];
  const keepsOthers = attribute.multiValued || attribute.field !== undefined;
  const others = keepsOthers
    ? withoutEmpty(
        without(
          value,
          known.map(({ name }) => name),
        ),
      )
    : undefined;
  const members = { ...expectedAttributes(known, value), ...(isObject(others) && others) };
  return isEmpty(members) ? undefined : members;
}

/** Entries of the same type and value are one. Without a value, entries that are equal. */
function expectedEntries(attribute: Attribute, entries: readonly Json[]): Json | undefined {
  const byKey = new Map<string, JsonObject>();
  for (const entry of entries) {
    const members = expectedMembers(attribute, entry);
    if (!members) continue;
    const { value, type } = members;
    const isExact = attribute.name === "photos";
    const known = [String(type ?? "").toLowerCase(), isExact ? value : String(value).toLowerCase()];
    const key = JSON.stringify(typeof value === "string" ? known : members);
    byKey.set(key, { ...byKey.get(key), ...members });
  }
  const shown = [...byKey.values()].filter(({ value }) => attribute.name !== "emails" || value);
  return shown.length > 0 ? shown : undefined;
}

function isEmpty(value: Json | undefined): boolean {
  return (
    value === undefined || value === null || (typeof value === "object" && Object.keys(value).length === 0)
  );
}

function without(value: Json, names: readonly string[]): JsonObject {
  const members = isObject(value) ? Object.entries(value) : [];
  return Object.fromEntries(members.filter(([name]) => !names.includes(name)));
}

/** Without nulls, empty values and credentials at any depth. */
function withoutEmpty(value: Json): Json | undefined {
  if (typeof value !== "object" || value === null) return value ?? undefined;
  if (Array.isArray(value)) {
    const kept = value.map(withoutEmpty).filter((element) => element !== undefined);
    return kept.length > 0 ? kept : undefined;
  }
  const kept: JsonObject = {};
  for (const [name, member] of Object.entries(value)) {
    const shown = credentialFields.some((each) => each === name) ? undefined : withoutEmpty(member);
    if (shown !== undefined) kept[name] = shown;
  }
  return isEmpty(kept) ? undefined : kept;
}
