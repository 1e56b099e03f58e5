import { foldCase } from "../fold.ts";
import type { ListField, ListFields } from "./list-fields.ts";
import type { ListQuery, Position } from "./listing.ts";

/** The keys of custom fields are text (`numberKey`, `textKey`). */
const CUSTOM_FIELD: ListField = { type: { fold: foldCase }, isOptional: true };

type SortOrder = Pick<ListQuery, "sort" | "descending">;

/** Encodes a position as an opaque, URL-safe text: id, skip, sort key if there is one, and the sort order. */
export function encodeCursor(order: SortOrder, { key, id, skip }: Position): string {
  if (key === null) return `${id}.${skip}.${orderName(order)}`;
  const text = typeof key === "number" ? key : Buffer.from(key).toString("base64url");
  return `${id}.${skip}.${text}.${orderName(order)}`;
}

/** Decodes a cursor; undefined if no list in this order can have returned it. */
export function decodeCursor(fields: ListFields, order: SortOrder, cursor: string): Position | undefined {
  const parts = cursor.split(".");
  // The order comes last: a truncated cursor is invalid.
  if (parts.pop() !== orderName(order)) return undefined;
  const [idText, skipText, keyText, ...rest] = parts;
  if (rest.length > 0) return undefined;
  const id = parseNonNegativeInteger(idText);
  const skip = parseNonNegativeInteger(skipText);
  const key = parseKey(fields, order.sort, keyText);
  return id === undefined || skip === undefined || key === undefined ? undefined : { id, skip, key };
}

/** The path of a custom field may have any characters. The underscore keeps the names of other orders apart. */
function orderName({ sort, descending }: SortOrder): string {
  const name = typeof sort === "string" ? sort : `_${Buffer.from(sort.custom).toString("base64url")}`;
  return descending ? `-${name}` : name;
}

function parseNonNegativeInteger(text: string | undefined): number | undefined {
  const number = text !== undefined && /^(0|[1-9]\d{0,15})$/.test(text) ? Number(text) : undefined;
  return Number.isSafeInteger(number) ? number : undefined;
}

/** Undefined if the text is not a key of this order. Rows without a value have none, and so have all in order of id. */
function parseKey(
  fields: ListFields,
  sort: ListQuery["sort"],
  text: string | undefined,
): Position["key"] | undefined {
  if (sort === "id") return text === undefined ? null : undefined;
  const field = typeof sort === "string" ? fields[sort] : CUSTOM_FIELD;
  if (text === undefined) return field?.isOptional ? null : undefined;
  return typeof field?.type === "string" ? parseNonNegativeInteger(text) : parseText(text);
}

function parseText(text: string): string | undefined {
  try {
    const key = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(
      Buffer.from(text, "base64url"),
    );
    return key.includes("\u0000") || Buffer.from(key).toString("base64url") !== text ? undefined : key;
  } catch {
    return undefined;
  }
}
