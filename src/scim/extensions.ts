import { isObject, type Json, type JsonObject } from "../contract/json.ts";
import { isKnownUrn, looksLikeUrn } from "./attribute-path.ts";
import type { ResourceKind } from "./attributes.ts";
import { cleanValue, isUnassigned } from "./clean-value.ts";
import type { DocumentChange } from "./field-slots.ts";
import { isSameJson } from "./same-json.ts";

/** Adds the extensions that no table has to a document. They are stored in the field `scim`. */
export function showExtensions(kind: ResourceKind, scim: Json | undefined, document: JsonObject): void {
  const extensions = storedExtensions(scim);
  for (const urn in extensions) {
    if (!isUnknownUrn(kind, urn)) continue;
    const shown = cleanValue(extensions[urn] ?? null);
    if (isObject(shown)) document[urn] = shown;
  }
}

/**
 * The field `scim` that a document asks for: what it shows as before stays as it is stored. `facts` replaces what is stored besides
 * extensions. Undefined for none.
 */
export function storeScim(
  kind: ResourceKind,
  { document, before, shown }: DocumentChange,
  facts?: JsonObject,
): JsonObject | undefined {
  const stored = isObject(before?.scim) ? before.scim : {};
  const { extensions: _, ...others } = stored;
  const extensions = storeExtensions(kind, document, { scim: stored, shown });
  const scim: JsonObject = { ...(facts ?? others), ...(extensions !== undefined && { extensions }) };
  return isUnassigned(scim) && !isSameJson(scim, before?.scim) ? undefined : scim;
}

/** Those that a document shows as before stay as they are stored. Undefined for none. */
function storeExtensions(
  kind: ResourceKind,
  document: JsonObject,
  { scim, shown }: { readonly scim: JsonObject; readonly shown: JsonObject },
): Json | undefined {
  const stored = storedExtensions(scim);
  const extensions: JsonObject = {};
  for (const urn in stored) {
    if (isSameJson(document[urn], shown[urn])) extensions[urn] = stored[urn] ?? null;
  }
  for (const urn in document) {
    if (!isUnknownUrn(kind, urn) || Object.hasOwn(extensions, urn)) continue;
    const value = document[urn] ?? null;
    if (!isUnassigned(value)) extensions[urn] = value;
  }
  if (isSameJson(extensions, stored)) return scim.extensions;
  return isUnassigned(extensions) ? undefined : extensions;
}

function isUnknownUrn(kind: ResourceKind, urn: string): boolean {
  return looksLikeUrn(urn) && !isKnownUrn(kind, urn);
}

function storedExtensions(scim: Json | undefined): JsonObject {
  const extensions = isObject(scim) ? scim.extensions : undefined;
  return isObject(extensions) ? extensions : {};
}
