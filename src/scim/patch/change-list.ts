import { isObject, type Json, type JsonObject } from "../../contract/json.ts";
import type { Attribute } from "../attributes.ts";
import { isUnassigned } from "../clean-value.ts";
import { hasMembers, mergeEntries, missingEntries } from "../entries.ts";
import { Misfit } from "../misfit.ts";
import { isSameJson } from "../same-json.ts";
import { ScimError } from "../scim-error.ts";
import { shorten } from "../shorten.ts";
import type { EntryCondition } from "./entry-condition.ts";
import type { PatchOperation } from "./parse-patch.ts";

/** The list after an operation. Does not modify its argument. Fails with `noTarget` or `invalidValue`. */
export function changeList(list: readonly Json[], operation: PatchOperation): Json[] {
  return keepInvariants(operation.path.attribute, changeEntries(list, operation), list);
}

function changeEntries(list: readonly Json[], operation: PatchOperation): Json[] {
  const { op, path, value } = operation;
  if (op === "remove" || value === undefined) return removeFrom(list, operation);
  return path.where ? setMatching(list, operation, path.where, value) : setAll(list, operation, value);
}

function removeFrom(
  list: readonly Json[],
  { path: { attribute, names, where }, value }: PatchOperation,
): Json[] {
  const [, sub] = names;
  const matches = where?.matches ?? (() => true);
  if (sub !== undefined) {
    return list.flatMap((entry) => (matches(entry) && isObject(entry) ? withoutMember(entry, sub) : [entry]));
  }
  if (where || value === undefined) return list.filter((entry) => !matches(entry));
  const removed = Array.isArray(value) ? value : [value];
  return list.filter((entry) => !removed.some((other) => isListed(attribute, entry, other)));
}

/** Without any member left, no entry. */
function withoutMember(entry: JsonObject, name: string): JsonObject[] {
  const { [name]: _, ...others } = entry;
  return isUnassigned(others) ? [] : [others];
}

function isListed(attribute: Attribute | undefined, entry: Json, listed: Json): boolean {
  return attribute && isObject(entry) && isObject(listed)
    ? hasMembers(attribute, entry, listed)
    : isSameJson(entry, listed);
}

/** Changes all entries, or adds and replaces entries. */
function setAll(list: readonly Json[], { op, path }: PatchOperation, value: Json): Json[] {
  const [, sub] = path.names;
  if (sub !== undefined) {
    return list.length === 0 ? [{ [sub]: value }] : list.map((entry) => withMember(entry, sub, value));
  }
  const values = Array.isArray(value) ? value : [value];
  if (op === "replace") return values;
  return [...list, ...(path.attribute ? missingEntries(list, values) : missingValues(list, values))];
}

function missingValues(list: readonly Json[], values: readonly Json[]): Json[] {
  return values.filter((value) => !list.some((entry) => isSameJson(entry, value)));
}

function withMember(entry: Json, name: string, value: Json): Json {
  return isObject(entry) ? { ...entry, [name]: value } : entry;
}

function setMatching(
  list: readonly Json[],
  { op, path }: PatchOperation,
  where: EntryCondition,
  value: Json,
): Json[] {
  const [, sub] = path.names;
  const members = sub === undefined ? value : { [sub]: value };
  if (!isObject(members)) throw new ScimError("invalidValue", `${shorten(path.text)} must be an object.`);
  let isFound = false;
  const changed = list.map((entry) => {
    if (!isObject(entry) || !where.matches(entry)) return entry;
    isFound = true;
    // An entry that replaces another one still meets the condition.
    return op === "replace" && sub === undefined
      ? { ...where.described, ...members }
      : { ...entry, ...members };
  });
  if (isFound) return changed;
  if (!where.described || (op === "replace" && !where.isCanonical)) {
    throw new ScimError("noTarget", `${shorten(path.text)}: no entry meets the filter.`);
  }
  return [...list, { ...where.described, ...members }];
}

/** A new primary entry makes the others no primary ones. Entries with the same type and value are kept once. */
function keepInvariants(attribute: Attribute | undefined, changed: Json[], before: readonly Json[]): Json[] {
  if (!attribute) return changed;
  const known = new Set(before);
  const entries = keepOnePrimary(changed, known).filter(isObject);
  const merged = mergeEntries(attribute, entries, known);
  if (merged instanceof Misfit) throw new ScimError("invalidValue", merged.detail);
  return merged;
}

/** Adds entries that are not primary any more to those that are known. */
function keepOnePrimary(changed: Json[], known: Set<Json>): Json[] {
  if (!changed.some((entry) => isPrimary(entry) && !known.has(entry))) return changed;
  return changed.map((entry) => {
    if (!isObject(entry) || !isPrimary(entry) || !known.has(entry)) return entry;
    const lesser = { ...entry, primary: false };
    known.add(lesser);
    return lesser;
  });
}

function isPrimary(entry: Json): boolean {
  return isObject(entry) && entry.primary === true;
}
