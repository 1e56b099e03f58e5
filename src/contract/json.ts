/** Any JSON value. */
export type Json = null | boolean | number | string | Json[] | JsonObject;
export type JsonObject = { [name: string]: Json };

/** Whether parsed JSON is an object. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A JSON Pointer (RFC 6901) to a member of the value at `pointer`. */
export function appendPointer(pointer: string, name: string): string {
  return `${pointer}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/** A name in a JSON Pointer, without its escapes. */
export function unescapeName(name: string): string {
  return name.replaceAll("~1", "/").replaceAll("~0", "~");
}
