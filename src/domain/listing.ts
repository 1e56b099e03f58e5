import type { sortFields } from "../contract/listing.ts";

export type SortField = (typeof sortFields)[number];

/** Where a page stopped: the sort key and the id of the last user looked at. Users without an email have no key. */
export interface Position {
  readonly key: string | number | null;
  readonly id: number;
  /** How many matching users are still to be passed over before the page begins. */
  readonly skip: number;
}

/** A condition on a list, its values folded already. A user passes when it has any of them; only `ids` may be empty. */
export type Filter =
  | { readonly on: "id"; readonly ids: readonly number[] }
  | { readonly on: "email"; readonly keys: readonly string[] }
  | { readonly on: "createdAt" | "updatedAt"; readonly times: readonly number[] }
  | { readonly on: "value"; readonly field: string; readonly values: readonly string[] };

/** What a list is asked for. Checked, bounded and folded at the door: an engine only looks things up. */
export interface ListQuery {
  readonly sort: SortField;
  readonly descending: boolean;
  readonly limit: number;
  readonly from: Position | undefined;
  /** How many matching users to pass over; 0 where `from` says. */
  readonly offset: number;
  /** Folded text, or undefined. Of one or two characters it means the start of a word. */
  readonly search: string | undefined;
  readonly filters: readonly Filter[];
  readonly count: boolean;
}

export interface Page {
  /** The JSON of each user, in order. */
  readonly users: readonly string[];
  /** Where the next page begins; undefined when there is no more. */
  readonly next: Position | undefined;
  /** How many there are in all, when that was asked for; `capped` when there are at least so many. */
  readonly total: { readonly count: number; readonly capped: boolean } | undefined;
}

/** How a sort key stands in a cursor: the order that it belongs to is part of it. */
type CursorData = [order: string, key: string | number | null, id: number, skip: number];

export function encodeCursor(
  query: Pick<ListQuery, "sort" | "descending">,
  { key, id, skip }: Position,
): string {
  const data: CursorData = [orderName(query), key, id, skip];
  return Buffer.from(JSON.stringify(data)).toString("base64url");
}

/** The position that a cursor stands for, or undefined if no list in this order ever gave it. */
export function decodeCursor(
  query: Pick<ListQuery, "sort" | "descending">,
  cursor: string,
): Position | undefined {
  let data: unknown;
  try {
    data = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(cursor, "base64url")));
  } catch {
    return undefined;
  }
  if (!Array.isArray(data) || data.length !== 4) return undefined;
  const [order, key, id, skip]: unknown[] = data;
  if (order !== orderName(query) || !isWhole(id) || !isWhole(skip)) return undefined;
  return isKeyOf(query.sort, key) ? { key, id, skip } : undefined;
}

function orderName({ sort, descending }: Pick<ListQuery, "sort" | "descending">): string {
  return descending ? `-${sort}` : sort;
}

function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function isKeyOf(sort: SortField, key: unknown): key is Position["key"] {
  switch (sort) {
    case "id":
      return key === null;
    case "name":
      return isText(key);
    case "email":
      return key === null || isText(key);
    case "createdAt":
    case "updatedAt":
      return isWhole(key);
  }
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value.isWellFormed() && !value.includes("\u0000");
}
