import { isObject, type Json, type JsonObject } from "../contract/json.ts";
import { subNames } from "./attribute-names.ts";
import type { Attribute } from "./attributes.ts";
import { Misfit } from "./misfit.ts";
import { isSameJson } from "./same-json.ts";

/**
 * The entries of a list, those with the same type and value once. The same list if all differ. At most one entry may be the
 * primary one. What the entries say that are not `older` holds.
 */
export function mergeEntries(
  attribute: Attribute,
  entries: JsonObject[],
  older: ReadonlySet<Json> = new Set(),
): JsonObject[] | Misfit {
  const merged = entries.length > 1 ? mergeEqual(attribute, entries, older) : entries;
  let primaries = 0;
  for (const { primary } of merged) if (primary === true) primaries += 1;
  return primaries > 1
    ? new Misfit(`${attribute.name} has more than one primary entry. Send primary with at most one.`)
    : merged;
}

/** Later entries add to the first of their type and value. */
function mergeEqual(attribute: Attribute, entries: JsonObject[], older: ReadonlySet<Json>): JsonObject[] {
  const isValueExact = subNames(attribute).find("value")?.caseExact === true;
  const byKey = new Map<string, JsonObject>();
  for (const entry of entries) {
    const key = entryKey(entry, isValueExact);
    const first = byKey.get(key);
    byKey.set(key, first ? mergeTwo(first, entry, older) : entry);
  }
  return byKey.size === entries.length ? entries : [...byKey.values()];
}

function mergeTwo(first: JsonObject, later: JsonObject, older: ReadonlySet<Json>): JsonObject {
  return older.has(later) && !older.has(first) ? { ...later, ...first } : { ...first, ...later };
}

/** Without a value, such as of addresses, all members tell entries apart. */
function entryKey(entry: JsonObject, isValueExact: boolean): string {
  const { type, value } = entry;
  if (typeof value !== "string") return wholeKey(entry);
  const typeKey = typeof type === "string" ? type.toLowerCase() : "";
  return `${typeKey}\n${isValueExact ? value : value.toLowerCase()}`;
}

/** The same text for entries with the same members, in any order. */
function wholeKey(entry: JsonObject): string {
  let last = "";
  for (const name in entry) {
    if (name < last) return JSON.stringify(sortMembers(entry));
    last = name;
  }
  return JSON.stringify(entry);
}

function sortMembers(entry: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(entry).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The entries that a list does not have. */
export function missingEntries(list: readonly Json[], entries: readonly Json[]): Json[] {
  const keyOf = (entry: Json) => (isObject(entry) ? wholeKey(entry) : JSON.stringify(entry));
  const known = new Set(list.map(keyOf));
  return entries.filter((entry) => !known.has(keyOf(entry)));
}

function comparable(attribute: Attribute, name: string, value: Json | undefined): Json {
  if (typeof value !== "string") return value ?? null;
  return subNames(attribute).find(name)?.caseExact ? value : value.toLowerCase();
}

/** Whether the entry has all these members. Text matches in any case, unless the sub-attribute respects it. */
export function hasMembers(attribute: Attribute, entry: JsonObject, members: JsonObject): boolean {
  return Object.entries(members).every(
    ([name, value]) =>
      Object.hasOwn(entry, name) &&
      isSameJson(comparable(attribute, name, entry[name]), comparable(attribute, name, value)),
  );
}
