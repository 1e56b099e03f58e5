import type { sortFields } from "../contract/listing.ts";
import { formatPage, formatPageInTurns, type PageFormat } from "./bulk/page-format.ts";
import type { Expression } from "./filter/expression.ts";

export type SortField = (typeof sortFields)[number];

/** The fields with a column to filter on. All other fields are custom fields. */
export type FilterField = "id" | "email" | "name" | "version" | "createdAt" | "updatedAt";

/** Where a page stopped: the sort key and id of the last row examined. A user without an email has no key. */
export interface Position {
  readonly key: string | number | null;
  readonly id: number;
  /** The number of matches to skip before the page starts. */
  readonly skip: number;
}

/** A filter matches a row that has any of its values. The values are folded already; only those of `id` may be empty. */
export type Filter<Column extends string = FilterField> =
  | { readonly kind: "column"; readonly field: Column; readonly values: readonly (string | number)[] }
  | { readonly kind: "custom"; readonly field: string; readonly values: readonly string[] };

/** A request for one page of a list, already validated: of users, unless the sort and filter fields are another resource's. */
export interface ListQuery<Sort extends string = SortField, Column extends string = FilterField> {
  readonly sort: Sort;
  readonly descending: boolean;
  readonly limit: number;
  readonly from: Position | undefined;
  /** The number of matches to skip; 0 if `from` is set. */
  readonly offset: number;
  /** Folded text. One or two characters match the start of a word, longer text matches anywhere. */
  readonly search: string | undefined;
  readonly filters: readonly Filter<Column>[];
  /** A condition that rows have to meet besides the filters and the search. */
  readonly expression?: Expression | undefined;
  readonly count: boolean;
  /** The format of the page; a JSON array by default. */
  readonly format?: PageFormat;
  /** The approximate size limit of the page; `PAGE_BYTES` by default. */
  readonly maxBytes?: number;
}

export interface Page {
  /** The rows in order, in UTF-8. JSON is copied from the stored bytes without parsing. */
  readonly body: Uint8Array<ArrayBuffer>;
  /** The number of rows. */
  readonly size: number;
  /** Where the next page starts; undefined on the last page. */
  readonly next: Position | undefined;
  /** The number of matches, if requested. `capped` means at least this many. */
  readonly total: { readonly count: number; readonly capped: boolean } | undefined;
}

/**
 * The approximate size limit of a page, whatever its `limit`. It bounds the memory that a connection holds while its
 * caller does not read. The rows that do not fit are on the next page.
 */
export const PAGE_BYTES = 1_048_576;

/** The rows of a page as they are stored. */
export interface FoundPage {
  readonly items: readonly Uint8Array[];
  readonly next: Position | undefined;
}

export function formatFoundPage({ items, next }: FoundPage, format?: PageFormat): Page {
  return { body: formatPage(items, format), size: items.length, next, total: undefined };
}

/** Like `formatFoundPage`, for the event loop. */
export async function formatFoundPageInTurns({ items, next }: FoundPage, format?: PageFormat): Promise<Page> {
  return { body: await formatPageInTurns(items, format), size: items.length, next, total: undefined };
}

/** Takes the rows that fit on a page, at least one. `more` means that some did not fit. */
export function fitPage(
  rows: Iterable<{ readonly json: Uint8Array }>,
  { limit, maxBytes = PAGE_BYTES }: { readonly limit: number; readonly maxBytes?: number },
): { items: Uint8Array[]; more: boolean } {
  const items: Uint8Array[] = [];
  let bytes = 0;
  for (const { json } of rows) {
    bytes += json.length;
    if (items.length === limit || (bytes > maxBytes && items.length > 0)) return { items, more: true };
    items.push(json);
  }
  return { items, more: false };
}

type SortOrder = Pick<ListQuery, "sort" | "descending">;

/** Encodes a position as an opaque, URL-safe text: id, skip, sort key if there is one, and the sort order. */
export function encodeCursor(order: SortOrder, { key, id, skip }: Position): string {
  if (key === null) return `${id}.${skip}.${orderName(order)}`;
  const text = typeof key === "number" ? key : Buffer.from(key).toString("base64url");
  return `${id}.${skip}.${text}.${orderName(order)}`;
}

/** Decodes a cursor; undefined if no list in this order can have returned it. */
export function decodeCursor(order: SortOrder, cursor: string): Position | undefined {
  const parts = cursor.split(".");
  // The order comes last: a truncated cursor is invalid.
  if (parts.pop() !== orderName(order)) return undefined;
  const [idText, skipText, keyText, ...rest] = parts;
  if (rest.length > 0) return undefined;
  const id = parseNonNegativeInteger(idText);
  const skip = parseNonNegativeInteger(skipText);
  const key = parseKey(order.sort, keyText);
  return id === undefined || skip === undefined || key === undefined ? undefined : { id, skip, key };
}

function orderName({ sort, descending }: SortOrder): string {
  return descending ? `-${sort}` : sort;
}

function parseNonNegativeInteger(text: string | undefined): number | undefined {
  const number = text !== undefined && /^(0|[1-9]\d{0,15})$/.test(text) ? Number(text) : undefined;
  return Number.isSafeInteger(number) ? number : undefined;
}

/** Undefined if the text is not a key of this order. */
function parseKey(sort: SortField, text: string | undefined): Position["key"] | undefined {
  switch (sort) {
    case "id":
      return text === undefined ? null : undefined;
    case "name":
      return text === undefined ? undefined : parseText(text);
    case "email":
      return text === undefined ? null : parseText(text);
    case "createdAt":
    case "updatedAt":
      return parseNonNegativeInteger(text);
  }
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
