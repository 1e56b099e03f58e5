import { isObject, type Json, type JsonObject } from "../../../src/contract/json.ts";
import { subNames } from "../../../src/scim/attribute-names.ts";
import type { Attribute } from "../../../src/scim/attributes.ts";
import { type Filter, spellFilter, type Target } from "./generate-patch.ts";
import { patchByLibrary } from "./library.ts";

/** The objects of a list, or none. */
export function entriesOf(list: Json | undefined): JsonObject[] {
  return Array.isArray(list) ? list.filter(isObject) : [];
}

/** Whether it is text that is more than spaces. */
export function isFilled(value: Json | undefined): boolean {
  return typeof value === "string" && value.trim() !== "";
}

/** Whether SCIM takes the value for none, at any depth. */
export function isEmpty(value: Json | undefined): boolean {
  if (value === undefined || value === null) return true;
  return typeof value === "object" && Object.values(value).every(isEmpty);
}

/** The value without parts that are none. */
export function clean(value: Json): Json | undefined {
  if (isEmpty(value)) return undefined;
  if (Array.isArray(value)) return value.map(clean).filter((entry) => entry !== undefined);
  if (!isObject(value)) return value;
  const cleaned: JsonObject = {};
  for (const [name, member] of Object.entries(value)) {
    const kept = clean(member);
    if (kept !== undefined) cleaned[name] = kept;
  }
  return cleaned;
}

/** The entries of the document that scim-patch finds with the filter of the target. */
export function findEntries(document: JsonObject, { name = "", filter }: Target): JsonObject[] {
  const entries = entriesOf(document[name]);
  if (!filter) return entries;
  const path = `entries[${spellFilter(filter)}]`;
  const isFound = (entry: JsonObject) =>
    patchByLibrary({ entries: [entry] }, { op: "remove", path }).entries === undefined;
  return entries.filter(isFound);
}

/** The members that an entry has if it meets a filter of `eq` and `and`. Undefined for other filters. */
export function describeEntry({ isNegated, join, comparisons }: Filter): JsonObject | undefined {
  const isOr = join === "or" && comparisons.length > 1;
  if (isNegated || isOr || comparisons.some((each) => each.operator !== "eq" || each.isNegated))
    return undefined;
  return Object.fromEntries(comparisons.map(({ name, value }) => [name, value]));
}

/** Whether two values of the attribute are the same, with regard to case only where the schema says so. */
export function isSameValue(attribute: Attribute | undefined, one: Json | undefined, other: Json): boolean {
  return Bun.deepEquals(foldValue(attribute, one ?? null), foldValue(attribute, other));
}

/** The value in lower case, unless its case matters. */
export function foldValue(attribute: Attribute | undefined, value: Json): Json {
  return typeof value === "string" && !attribute?.caseExact ? value.toLowerCase() : value;
}

export function subAttribute(
  attribute: Attribute | undefined,
  name: string | undefined,
): Attribute | undefined {
  return attribute && name !== undefined ? subNames(attribute).find(name) : undefined;
}
