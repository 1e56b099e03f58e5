import type { sortFields } from "../contract/listing.ts";
import { formatPage, type PageFormat } from "./page-format.ts";

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
  | { readonly on: "name"; readonly keys: readonly string[] }
  | { readonly on: "version" | "createdAt" | "updatedAt"; readonly numbers: readonly number[] }
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
  /** What the page is made into; a JSON array, if nothing is said. */
  readonly format?: PageFormat;
}

export interface Page {
  /** The users, in order, in UTF-8: as JSON, made of the bytes that are stored, which never become text. */
  readonly body: Uint8Array<ArrayBuffer>;
  /** Where the next page begins; undefined when there is no more. */
  readonly next: Position | undefined;
  /** How many there are in all, when that was asked for; `capped` when there are at least so many. */
  readonly total: { readonly count: number; readonly capped: boolean } | undefined;
}

/**
 * A page has room for about this many bytes of users: whoever asks for lists and does not read them has no more than
 * that kept in memory for each connection. The next page goes on where there was no more room.
 */
export const PAGE_BYTES = 1_048_576;

/** A page of these users. */
export function createPage(
  users: readonly Uint8Array[],
  next: Position | undefined,
  { format: form }: ListQuery,
): Page {
  return { body: formatPage(users, form), next, total: undefined };
}

/** Of the users that were found, those that the page holds, one at least; `more` when others had no place in it. */
export function takeFittingUsers(
  found: Iterable<{ readonly json: Uint8Array }>,
  limit: number,
): { users: Uint8Array[]; more: boolean } {
  const users: Uint8Array[] = [];
  let bytes = 0;
  for (const { json } of found) {
    bytes += json.length;
    if (users.length === limit || (bytes > PAGE_BYTES && users.length > 0)) return { users, more: true };
    users.push(json);
  }
  return { users, more: false };
}

/**
 * A position as callers hand it back: the id, how many to skip, the sort key if the order has one and the user had it,
 * and the order that all this belongs to. Opaque to them, and safe in a URL as it is.
 */
export function encodeCursor(query: SortOrder, { key, id, skip }: Position): string {
  if (key === null) return `${id}.${skip}.${orderName(query)}`;
  const text = typeof key === "number" ? key : Buffer.from(key).toString("base64url");
  return `${id}.${skip}.${text}.${orderName(query)}`;
}

/** The position that a cursor stands for, or undefined if no list in this order ever gave it. */
export function decodeCursor(query: SortOrder, cursor: string): Position | undefined {
  const parts = cursor.split(".");
  // At the end, so that a cursor that was cut off is none.
  if (parts.pop() !== orderName(query)) return undefined;
  const [id, skip, text, ...more] = parts;
  if (more.length > 0) return undefined;
  const position = {
    id: parseNonNegativeInteger(id),
    skip: parseNonNegativeInteger(skip),
    key: parseKey(query.sort, text),
  };
  return position.id === undefined || position.skip === undefined || position.key === undefined
    ? undefined
    : { id: position.id, skip: position.skip, key: position.key };
}

type SortOrder = Pick<ListQuery, "sort" | "descending">;

function orderName({ sort, descending }: SortOrder): string {
  return descending ? `-${sort}` : sort;
}

function parseNonNegativeInteger(text: string | undefined): number | undefined {
  const number = text !== undefined && /^(0|[1-9]\d{0,15})$/.test(text) ? Number(text) : undefined;
  return Number.isSafeInteger(number) ? number : undefined;
}

/** Undefined for what is no key of this order. */
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
