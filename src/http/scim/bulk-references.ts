import { isObject, type Json, type JsonObject } from "../../contract/json.ts";

const REFERENCE = /^bulkId:(.+)$/s;

/** The `bulkId` that a value stands for: the id of a resource that the same request creates. */
export function parseReference(value: string): string | undefined {
  return REFERENCE.exec(value)?.[1];
}

/** Every `bulkId` that a value refers to. */
export function listReferences(value: Json, found = new Set<string>()): ReadonlySet<string> {
  if (typeof value === "string") {
    const reference = parseReference(value);
    if (reference !== undefined) found.add(reference);
  } else if (typeof value === "object" && value !== null) {
    for (const member of Object.values(value)) listReferences(member, found);
  }
  return found;
}

/** The value with ids in place of references. */
export function resolveReferences(value: Json, ids: ReadonlyMap<string, string>): Json {
  if (typeof value === "string") return ids.get(parseReference(value) ?? "") ?? value;
  if (Array.isArray(value)) return value.map((item) => resolveReferences(item, ids));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, resolveReferences(member, ids)]),
  );
}

/** A resource in two parts. */
interface SplitResource {
  /** Without the attributes that refer to these. */
  readonly rest: JsonObject;
  /** Only these attributes. */
  readonly referring: JsonObject;
}

/** Takes out of a resource what refers to one of these: an attribute, or an attribute of an extension. */
export function splitReferring(resource: JsonObject, references: ReadonlySet<string>): SplitResource {
  const rest: JsonObject = {};
  const referring: JsonObject = {};
  for (const [name, value] of Object.entries(resource)) {
    if (![...listReferences(value)].some((reference) => references.has(reference))) rest[name] = value;
    else if (isObject(value) && name.includes(":")) {
      const inner = splitReferring(value, references);
      rest[name] = inner.rest;
      referring[name] = inner.referring;
    } else referring[name] = value;
  }
  return { rest, referring };
}
