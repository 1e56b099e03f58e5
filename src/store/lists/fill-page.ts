import { systemClock } from "../../domain/clock.ts";
import { type ListQuery, PAGE_BYTES, type Page } from "../../domain/lists/listing.ts";
import type { MaybePromise } from "../../domain/maybe-promise.ts";

/** How long to go on with further rounds, to fill a page or to count, in milliseconds. */
export const ROUNDS_MS = 250;
/** A short page that has more than this part of its size limit may have ended because it is full. */
const SHORT_PART = 1 / 2;

/**
 * Reads a page. While it has fewer rows than requested although more may follow, reads on in further rounds of bounded
 * work, with other callers' lists in between.
 */
export function fillPage<Query extends Pick<ListQuery, "limit" | "from" | "offset" | "format" | "maxBytes">>(
  query: Query,
  readPage: (query: Query) => MaybePromise<Page>,
): MaybePromise<Page> {
  const page = readPage(query);
  if (page instanceof Promise) return page.then((first) => readOn(query, first, readPage));
  return isShort(query, page) ? readOn(query, page, readPage) : page;
}

async function readOn<Query extends Pick<ListQuery, "limit" | "from" | "offset" | "format" | "maxBytes">>(
  query: Query,
  first: Page,
  readPage: (query: Query) => MaybePromise<Page>,
): Promise<Page> {
  let page = first;
  const { maxBytes = PAGE_BYTES } = query;
  const end = systemClock.running() + ROUNDS_MS;
  while (isShort(query, page) && systemClock.running() < end) {
    const { next: from, size, body } = page;
    const rest = { from, offset: 0, limit: query.limit - size, maxBytes: maxBytes - body.length };
    const more = await readPage({ ...query, ...rest });
    // A page has at least one row, whatever the row's size: this one does not fit.
    if (size > 0 && body.length + more.body.length > maxBytes + query.limit) return page;
    page = joinPages(page, more);
  }
  return page;
}

/** Exports are not filled: they read the next page anyway. */
function isShort(
  { limit, format, maxBytes = PAGE_BYTES }: Pick<ListQuery, "limit" | "format" | "maxBytes">,
  { size, next, body }: Page,
): boolean {
  return next !== undefined && size < limit && format === undefined && body.length < maxBytes * SHORT_PART;
}

/** Joins two JSON arrays. */
function joinPages(first: Page, second: Page): Page {
  const { next, total } = second;
  if (first.size === 0 || second.size === 0) {
    return { body: first.size === 0 ? second.body : first.body, size: first.size + second.size, next, total };
  }
  const body = new Uint8Array(first.body.length + second.body.length - 1);
  body.set(first.body);
  // The closing bracket of the first array becomes a comma; the opening bracket of the second is left out.
  body[first.body.length - 1] = 0x2c;
  body.set(second.body.subarray(1), first.body.length);
  return { body, size: first.size + second.size, next, total };
}
