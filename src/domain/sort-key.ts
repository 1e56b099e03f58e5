import type { Json } from "../contract/user.ts";
import { booleanKey, numberKey, textKey, valueKinds } from "./value-index.ts";

/** Values of the kinds before this one can be sorted: numbers, text, booleans. */
export const FIRST_UNSORTABLE_KIND = valueKinds.null;

/** The key of a custom field as in the value index; undefined if its value cannot be sorted. */
export function findSortKey(row: { readonly [field: string]: Json }, field: string): string | undefined {
  const value = Object.hasOwn(row, field) ? row[field] : undefined;
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
