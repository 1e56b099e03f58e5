import { isObject, type Json, type JsonObject } from "../contract/json.ts";
import { isId } from "../contract/scalars.ts";
import { urns } from "./attributes.ts";

/** Adds the URL of the manager to a document, if the manager has none and may be a user of this service. */
export function showManager(document: JsonObject, locate: (path: string) => string): void {
  const enterprise = document[urns.enterpriseUser];
  if (!isObject(enterprise) || !isObject(enterprise.manager)) return;
  const { manager } = enterprise;
  if (manager.$ref !== undefined || typeof manager.value !== "string" || !isId(manager.value)) return;
  enterprise.manager = { ...manager, $ref: locate(`/Users/${manager.value}`) };
}

/** The manager as the record stores it: without a URL that follows from the value. */
export function storeManager(manager: Json): Json {
  if (!isObject(manager)) return manager;
  const { $ref, ...others } = manager;
  return typeof $ref === "string" && $ref.endsWith(`/Users/${manager.value}`) ? others : manager;
}
