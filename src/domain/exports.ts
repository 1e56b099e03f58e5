import { bulkLimits } from "../contract/bulk.ts";
import type { ListQuery } from "./listing.ts";
import { csvHeader, type PageFormat } from "./page-format.ts";
import { ProblemError } from "./problem-error.ts";
import type { Store } from "./store.ts";

/** Every user that the query finds, in order, as JSON one a line. They end when the signal says that nobody wants more. */
export function exportNdjson(
  store: Store,
  query: ListQuery,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void> {
  return pages(store, query, "lines", signal);
}

/**
 * The same as a table. Its first row names the fields, so that all users are gone through before, to see which fields they
 * have; one that turns up only afterwards is left out. Fails with `not-acceptable` if they have too many for a table.
 */
export async function* exportCsv(
  store: Store,
  query: ListQuery,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void> {
  const fields = new Set<string>();
  const decoder = new TextDecoder();
  for await (const page of pages(store, query, "fields", signal)) {
    const found: string[] = JSON.parse(decoder.decode(page));
    for (const field of found) fields.add(field);
    if (fields.size > MOST_COLUMNS) {
      throw new ProblemError(
        "not-acceptable",
        `These users have over ${MOST_COLUMNS} different fields, too many for a table: take them as NDJSON.`,
      );
    }
  }
  const columns = [...fields];
  yield new TextEncoder().encode(csvHeader(columns));
  yield* pages(store, query, { csv: columns }, signal);
}

/** Far more than anybody looks at, and few enough that a page of users stays small. */
const MOST_COLUMNS = 1000;

/** Page after page; the next one is asked for while whoever asked is busy with this one. */
async function* pages(
  store: Store,
  query: ListQuery,
  form: PageFormat,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void> {
  const ask = (from: ListQuery["from"]) => {
    const page = Promise.resolve(store.list({ ...query, format: form, from, limit: bulkLimits.pageUsers }));
    // Awaited later than it may fail: until then, that is no error of the process.
    page.catch(() => undefined);
    return page;
  };
  let next = ask(undefined);
  while (!signal.aborted) {
    const page = await next;
    if (page.next) next = ask(page.next);
    if (page.body.length > 0) yield page.body;
    if (!page.next) return;
  }
}
