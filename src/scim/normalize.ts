import { isObject, type Json, type JsonObject } from "../contract/json.ts";
import { coreNames, extensionNames } from "./attribute-names.ts";
import { findExtension, findUrn, isKnownUrn, looksLikeUrn, splitUrn } from "./attribute-path.ts";
import type { Attribute, ResourceKind } from "./attributes.ts";
import { cleanValue, isUnassigned } from "./clean-value.ts";
import { findKey } from "./find-key.ts";
import { fitValue } from "./fit-value.ts";
import { Misfit } from "./misfit.ts";
import { ScimError } from "./scim-error.ts";
import { shorten } from "./shorten.ts";

/** The attribute whose values are users. They are no part of a document: there can be a million of them. */
export const MEMBERS = "members";

/**
 * What a client sends, as a document: names in the spelling of the table, no unassigned values, no credentials, entries once.
 * Attributes that only the service writes and unknown ones are left out. `members` are as sent, see `parseMembers`. An
 * extension that is sent without values is empty: a PUT clears it. Fails with `invalidSyntax` or `invalidValue`.
 */
export function normalizeDocument(kind: ResourceKind, body: unknown): JsonObject {
  if (!isObject(body)) throw new ScimError("invalidSyntax", "The body must be a JSON object.");
  const document: JsonObject = {};
  addAttributes(kind, document, body);
  for (const name of Object.keys(body)) {
    if (looksLikeUrn(name)) addExtension(kind, document, name, body[name] ?? null);
  }
  return document;
}

/** Adds the attributes of the core schema. */
function addAttributes(kind: ResourceKind, document: JsonObject, body: JsonObject): void {
  const names = coreNames(kind);
  for (const name of Object.keys(body)) addAttribute(document, names.find(name), body[name] ?? null);
}

function addAttribute(document: JsonObject, attribute: Attribute | undefined, value: Json): void {
  if (!attribute || attribute.mutability === "readOnly") return;
  const normalized = attribute.name === MEMBERS ? value : normalizeValue(attribute, value);
  if (normalized !== undefined) document[attribute.name] = normalized;
}

/** The value of an attribute; undefined if it is unassigned. Fails with `invalidValue`. */
export function normalizeValue(attribute: Attribute, value: Json, prefix = ""): Json | undefined {
  const fitted = fitValue(attribute, value, "client");
  if (fitted instanceof Misfit) throw new ScimError("invalidValue", `${prefix}${fitted.detail}`);
  return fitted;
}

/** Some clients send the core schema as if it were an extension, or a name with its URN. */
function addExtension(kind: ResourceKind, document: JsonObject, name: string, value: Json): void {
  const { urn = name, rest } = splitUrn(kind, name);
  const isWhole = rest === "" || (isObject(value) && !isKnownUrn(kind, urn));
  const members = isWhole ? value : { [rest]: value };
  if (!isObject(members) && !isUnassigned(members)) {
    throw new ScimError("invalidValue", `${shorten(name)} must be an object.`);
  }
  const attributes = isObject(members) ? members : {};
  if (urn === kind.core.id) {
    addAttributes(kind, document, attributes);
  } else {
    const key = findKey(document, isWhole ? name : urn);
    const known = findUrn(kind, key) ?? key;
    const before = Object.hasOwn(document, known) ? document[known] : undefined;
    const more = normalizeExtension(kind, known, attributes);
    if (isObject(before)) Object.assign(before, more);
    else document[known] = { ...more };
  }
}

/** The attributes of an extension. Unknown attributes of the enterprise extension are left out. */
function normalizeExtension(kind: ResourceKind, urn: string, value: JsonObject): JsonObject {
  const extension = findExtension(kind, urn);
  const normalized: JsonObject = {};
  if (!extension) {
    const cleaned = cleanValue(value);
    return isObject(cleaned) ? cleaned : normalized;
  }
  const names = extensionNames(extension);
  for (const name of Object.keys(value)) {
    addAttribute(normalized, names.find(name), value[name] ?? null);
  }
  return normalized;
}
