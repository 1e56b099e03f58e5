import type { Json } from "../contract/json.ts";
import { type JsonScanner, OPEN_OBJECT } from "../domain/json-scanner.ts";

/**
 * Moves past a member. Returns the id of a user. Of anything else, it returns what `parseMember` looks at: that refuses it.
 */
export function scanMember(json: JsonScanner): number | Json {
  if (json.peek() !== OPEN_OBJECT) return idOrJson(json, json.skipValue(), undefined);
  let value: number | undefined;
  let type: number | undefined;
  for (let hasMore = json.enter(OPEN_OBJECT); hasMore; hasMore = json.hasNext(OPEN_OBJECT)) {
    const name = json.skipName();
    const start = json.skipValue();
    if (json.isWord(name, "value")) value = start;
    else if (json.isWord(name, "type")) type = start;
  }
  return idOrJson(json, value, type);
}

/** `value` and `type` are where these values are. */
function idOrJson(json: JsonScanner, value: number | undefined, type: number | undefined): number | Json {
  const id = value === undefined ? undefined : json.idAt(value);
  const isUser = type === undefined || !json.isText(type) || json.isWord(type, "user");
  if (id !== undefined && isUser) return id;
  return {
    value: (value === undefined ? undefined : json.textAt(value)) ?? null,
    type: (type === undefined ? undefined : json.textAt(type)) ?? null,
  };
}
