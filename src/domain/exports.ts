import { bulkLimits } from "../contract/bulk.ts";
import { formatCsvHeader } from "./csv/write.ts";
import type { ListQuery } from "./listing.ts";
import type { PageFormat } from "./page-format.ts";
import { ProblemError } from "./problem-error.ts";
import type { Store } from "./store.ts";

/** Every user that matches the query, in order, one JSON object per line. Ends early when the signal aborts. */
export function exportNdjson(
  store: Store,
  query: ListQuery,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void> {
  return readPages(store, query, "ndjson", signal);
}

/**
 * The same as CSV. The header needs every field name, so this reads all users twice; a field that appears only after
 * the first read is left out. Fails with `not-acceptable` if the users have more than `MAX_COLUMNS` fields.
 */
export async function* exportCsv(
  store: Store,
  query: ListQuery,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void> {
  const fields = new Set<string>();
  const decoder = new TextDecoder();
  for await (const page of readPages(store, query, "field-names", signal)) {
    const names: string[] = JSON.parse(decoder.decode(page));
    for (const name of names) fields.add(name);
    if (fields.size > MAX_COLUMNS) {
      throw new ProblemError(
        "not-acceptable",
        `These users have more than ${MAX_COLUMNS} different fields. Export them as application/x-ndjson.`,
      );
    }
  }
  const columns = [...fields];
  yield new TextEncoder().encode(formatCsvHeader(columns));
  yield* readPages(store, query, { csv: columns }, signal);
}

/** Keeps a page of CSV small. */
const MAX_COLUMNS = 1000;

/** Reads the next page while the consumer works on the current one. */
async function* readPages(
  store: Store,
  query: ListQuery,
  format: PageFormat,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void> {
  const readPage = (from: ListQuery["from"]) => {
    const page = Promise.resolve(store.list({ ...query, format, from, limit: bulkLimits.pageUsers }));
    // The page is awaited later. Until then, a failure must not count as an unhandled rejection.
    page.catch(() => undefined);
    return page;
  };
  let next = readPage(undefined);
  while (!signal.aborted) {
    const page = await next;
    if (page.next) next = readPage(page.next);
    if (page.body.length > 0) yield page.body;
    if (!page.next) return;
  }
}
