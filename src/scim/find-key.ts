import type { JsonObject } from "../contract/json.ts";

/** The key that each name in lower case has, by the object that was searched. Objects can have thousands of extensions. */
const keysOf = new WeakMap<JsonObject, Map<string, string>>();

/**
 * The key of a member, in any case: the name itself if there is none. Members that are added to the object later are found if they
 * were searched before.
 */
export function findKey(object: JsonObject, name: string): string {
  if (Object.hasOwn(object, name)) return name;
  const keys = keysOf.get(object) ?? readKeys(object);
  const lowerCase = name.toLowerCase();
  const known = keys.get(lowerCase);
  if (known !== undefined && Object.hasOwn(object, known)) return known;
  keys.set(lowerCase, name);
  return name;
}

function readKeys(object: JsonObject): Map<string, string> {
  const keys = new Map<string, string>();
  for (const key of Object.keys(object)) {
    const lowerCase = key.toLowerCase();
    if (!keys.has(lowerCase)) keys.set(lowerCase, key);
  }
  keysOf.set(object, keys);
  return keys;
}
