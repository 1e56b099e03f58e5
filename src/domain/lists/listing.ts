import type { FieldsOfRecord } from "../../contract/record-fields.ts";
import type { Expression } from "../filter/expression.ts";
import type { MaybePromise } from "../maybe-promise.ts";
import { formatPage, formatPageInTurns, type PageView } from "./page-format.ts";

/** Sorts by a custom field, or by a value in one: its path (`fieldPath`). Users without a sortable value come last. */
export interface CustomSort {
  readonly custom: string;
}

/** Where a page stopped: the sort key and id of the last row examined. A user without a sortable value has no key. */
export interface Position {
  readonly key: string | number | null;
  readonly id: number;
  /** The number of matches to skip before the page starts. */
  readonly skip: number;
}

/** A filter matches a row that has any of its values. The values are folded already; only those of `id` may be empty. */
export type Filter<Field extends string = string> =
  | {
      readonly kind: "column";
      readonly field: Field;
      readonly values: readonly (string | number)[];
      /** What the caller calls the field, if no row can have the values: then `field` is the id, and has none of them. */
      readonly parameter?: string;
    }
  | { readonly kind: "custom"; readonly field: string; readonly values: readonly string[] }
  | MembershipFilter;

/** A filter of users by their groups, or of groups by their members. What does not exist has no members, and is in no group. */
export type MembershipFilter = {
  readonly kind: "membership";
  /** Matches rows that do not belong to any of these instead. */
  readonly negated?: boolean;
  /** The part of the filter expression that it comes from, if it does. */
  readonly source?: Expression;
} & (
  | { readonly by: "id"; readonly values: readonly number[] }
  /** Folded names of groups. */
  | { readonly by: "name"; readonly values: readonly string[] }
  | { readonly by: "any"; readonly values: readonly [] }
);

/** A request for one page of a list, already validated. Its fields are those of the list (`ListFields`). */
export interface ListQuery<Field extends string = string> extends PageView {
  readonly sort: Field | CustomSort;
  readonly descending: boolean;
  readonly limit: number;
  readonly from: Position | undefined;
  /** The number of matches to skip; 0 if `from` is set. */
  readonly offset: number;
  /**
   * Folded words, all of which a match contains: at least one, and none that another one implies. One or two characters
   * match the start of a word, longer words match anywhere.
   */
  readonly search: readonly string[] | undefined;
  readonly filters: readonly Filter<Field>[];
  /** A condition that rows have to meet besides the filters and the search. */
  readonly expression?: Expression | undefined;
  readonly count: boolean;
  /** How long to count the matches of conditions, in milliseconds. A count that needs more time is too small, and `capped`. */
  readonly countMs?: number;
  /** The approximate size limit of the page; `PAGE_BYTES` by default. */
  readonly maxBytes?: number;
  /** The query string without the position of the page, if it is short: queries with the same name are pages of the same list. */
  readonly name?: string | undefined;
}

/** The number of matches to skip before a page starts. */
export function skipOf({ from, offset }: Pick<ListQuery, "from" | "offset">): number {
  return from ? from.skip : offset;
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

export function formatFoundPage({ items, next }: FoundPage, view: PageView, fields: FieldsOfRecord): Page {
  return { body: formatPage(items, view, fields), size: items.length, next, total: undefined };
}

/** Records are parsed for a page of some fields. Up to this many bytes take less than a millisecond. */
const QUICKLY_PARSED_BYTES = 32_768;

/** Like `formatFoundPage`, for the event loop: at once if that takes less than a millisecond. */
export function formatFoundPageQuickly(
  found: FoundPage,
  view: PageView,
  fields: FieldsOfRecord,
): MaybePromise<Page> {
  const isQuick = !view.fields || sumBytes(found.items) <= QUICKLY_PARSED_BYTES;
  return isQuick ? formatFoundPage(found, view, fields) : formatFoundPageInTurns(found, view, fields);
}

function sumBytes(items: readonly Uint8Array[]): number {
  return items.reduce((bytes, { length }) => bytes + length, 0);
}

/** Like `formatFoundPage`, for the event loop. */
export async function formatFoundPageInTurns(
  { items, next }: FoundPage,
  view: PageView,
  fields: FieldsOfRecord,
): Promise<Page> {
  return { body: await formatPageInTurns(items, view, fields), size: items.length, next, total: undefined };
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
