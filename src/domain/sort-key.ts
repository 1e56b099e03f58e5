import type { Json } from "../contract/user.ts";
import { booleanKey, numberKey, textKey, valueKinds } from "./value-index.ts";

/** Values of the kinds before this one can be sorted: numbers, text, booleans. */
export const FIRST_UNSORTABLE_KIND = valueKinds.null;

/** The key of the value at a path (`fieldPath`), as in the value index; undefined if there is no value to sort by. */
export function findSortKey(
  row: { readonly [field: string]: Json },
  names: readonly string[],
): string | undefined {
  let value: Json | undefined = row;
  for (const name of names) {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
    value = Object.hasOwn(value, name) ? value[name] : undefined;
  }
  switch (typeof value) {
    case "number":
      return numberKey(value);
    case "string":
      return textKey(value);
    case "boolean":
      return booleanKey(value);
    default:
      return undefined;
  }
}

/** The names in a path (`fieldPath`). */
export function splitPath(path: string): string[] {
  return path
    .split(".")
    .map((name) =>
      name.replace(/~(..)/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))),
    );
}
