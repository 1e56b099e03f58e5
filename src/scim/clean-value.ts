import type { Json, JsonObject } from "../contract/json.ts";
import { isReservedName } from "../contract/users/field-name.ts";
import { userLimits } from "../contract/users/user.ts";
import { isSecretName } from "./attribute-names.ts";
import { ScimError } from "./scim-error.ts";

/** Records have fewer levels. Deeper values of requests would exhaust the stack. */
const MAX_LEVELS = 2 * userLimits.nestingLevels;

/** Whether SCIM takes the value for no value (RFC 7643, section 2.5). */
export function isUnassigned(value: Json | undefined): boolean {
  if (value === undefined || value === null) return true;
  if (typeof value !== "object") return false;
  for (const _ in value) return false;
  return true;
}

/**
 * The value without unassigned values and credentials at any depth; undefined if it is unassigned itself. The same value if
 * nothing changes. Names that records cannot have are left out as well.
 */
export function cleanValue(value: Json, level = 1): Json | undefined {
  if (typeof value !== "object") return value;
  if (value === null) return undefined;
  if (level > MAX_LEVELS) throw new ScimError("invalidValue", "Nest values in fewer levels.");
  return Array.isArray(value) ? cleanList(value, level) : cleanObject(value, level);
}

function cleanList(list: Json[], level: number): Json[] | undefined {
  let copy: Json[] | undefined;
  for (let i = 0; i < list.length; i++) {
    const element = list[i] ?? null;
    const cleaned = cleanValue(element, level + 1);
    if (cleaned !== element) copy ??= list.slice(0, i);
    if (copy && cleaned !== undefined) copy.push(cleaned);
  }
  const result = copy ?? list;
  return result.length === 0 ? undefined : result;
}

function cleanObject(object: JsonObject, level: number): JsonObject | undefined {
  return mapMembers(object, (name, value) =>
    isSecretName(name) || isReservedName(name) ? undefined : cleanValue(value, level + 1),
  );
}

/** The object with other values; undefined if none is left. The same object if all values stay. */
export function mapMembers(
  object: JsonObject,
  change: (name: string, value: Json) => Json | undefined,
): JsonObject | undefined {
  let copy: JsonObject | undefined;
  let kept = 0;
  for (const name in object) {
    const value = object[name] ?? null;
    const changed = change(name, value);
    if (changed !== value && !copy) copy = firstMembers(object, kept);
    if (copy && changed !== undefined) copy[name] = changed;
    kept += 1;
  }
  const result = copy ?? object;
  for (const _ in result) return result;
  return undefined;
}

function firstMembers(object: JsonObject, count: number): JsonObject {
  const members: JsonObject = {};
  let left = count;
  for (const name in object) {
    if (left === 0) break;
    members[name] = object[name] ?? null;
    left -= 1;
  }
  return members;
}
