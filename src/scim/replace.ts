import type { JsonObject } from "../contract/json.ts";
import { findExtension, looksLikeUrn } from "./attribute-path.ts";
import { commonAttributes, type ResourceKind } from "./attributes.ts";
import { isUnassigned } from "./clean-value.ts";
import { findKey } from "./find-key.ts";
import { MEMBERS } from "./normalize.ts";
import { isSameJson } from "./same-json.ts";

/**
 * The document after a PUT. `body` is normalized. What the core schema and the extensions of the table define is that of the body,
 * except what only the service writes, and `active` if it is left out. Other extensions change if the body has them. Returns
 * `current` if nothing changes.
 */
export function replaceDocument(kind: ResourceKind, current: JsonObject, body: JsonObject): JsonObject {
  const next: JsonObject = {};
  const kept = new Set(["schemas", "active", ...readOnlyNames(kind)]);
  for (const [name, value] of Object.entries(current)) {
    const isOther = looksLikeUrn(name) && !findExtension(kind, name);
    if (kept.has(name) || isOther) next[name] = value;
  }
  for (const [name, value] of Object.entries(body)) {
    if (name === MEMBERS) continue;
    const key = looksLikeUrn(name) ? findKey(next, name) : name;
    if (isUnassigned(value)) delete next[key];
    else next[key] = value;
  }
  return isSameJson(current, next) ? current : next;
}

function readOnlyNames({ core }: ResourceKind): string[] {
  return [...commonAttributes, ...core.attributes].flatMap(({ name, mutability }) =>
    mutability === "readOnly" ? [name] : [],
  );
}
