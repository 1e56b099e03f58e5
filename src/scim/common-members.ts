import type { Json, JsonObject } from "../contract/json.ts";
import { looksLikeUrn } from "./attribute-path.ts";
import type { ResourceKind } from "./attributes.ts";

/** Adds `meta` and `schemas`, when a document has everything else. */
export function addSchemas(kind: ResourceKind, schemas: Json[], document: JsonObject): void {
  const known = kind.extensionUrns;
  for (const urn of known) if (document[urn] !== undefined) schemas.push(urn);
  for (const name in document) if (looksLikeUrn(name) && !known.includes(name)) schemas.push(name);
}

/** `meta` of a record as the API returns it. */
export function metaOf(kind: ResourceKind, record: JsonObject, location: string): JsonObject {
  const { version, createdAt = null, updatedAt = null } = record;
  return {
    resourceType: kind.name,
    created: createdAt,
    lastModified: updatedAt,
    location,
    version: `W/"${version}"`,
  };
}
