import { isObject, type Json } from "../contract/json.ts";
import { isId } from "../contract/scalars.ts";

/** The manager with its URL, if it has none and its value may be the id of a user. */
export function showManager(manager: Json, locate: (path: string) => string): Json {
  if (!isObject(manager) || manager.$ref !== undefined) return manager;
  const { value } = manager;
  return typeof value === "string" && isId(value) ? { ...manager, $ref: locate(`/Users/${value}`) } : manager;
}

/** The manager as the record stores it: without a URL that follows from the value. */
export function storeManager(manager: Json): Json {
  if (!isObject(manager)) return manager;
  const { $ref, ...others } = manager;
  return typeof $ref === "string" && $ref.endsWith(`/Users/${manager.value}`) ? others : manager;
}
