import { isObject, type Json } from "../../contract/json.ts";

/** What a value looks like: plain data, as expressions are. */
export type Shape =
  | "text"
  | "boolean"
  /** Members that are not named can have any value. Any of those that are named can be missing. */
  | { readonly members: Readonly<Record<string, Shape>> }
  /** An array of one element or more, each of this shape. */
  | { readonly each: Shape };

export function hasShape(value: Json | undefined, shape: Shape): boolean {
  if (shape === "text") return typeof value === "string";
  if (shape === "boolean") return typeof value === "boolean";
  if ("each" in shape) {
    return (
      Array.isArray(value) && value.length > 0 && value.every((element) => hasShape(element, shape.each))
    );
  }
  return (
    isObject(value) && Object.entries(shape.members).every(([name, member]) => hasMember(value, name, member))
  );
}

function hasMember(value: { readonly [name: string]: Json }, name: string, shape: Shape): boolean {
  return !Object.hasOwn(value, name) || hasShape(value[name], shape);
}
