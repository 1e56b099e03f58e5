import { bulkLimits } from "../contract/bulk.ts";
import type { ListQuery } from "./listing.ts";
import { csvHeader, type PageForm } from "./page-form.ts";
import type { Store } from "./store.ts";

/** Every user that the query finds, in order, as JSON one a line. */
export function exportLines(store: Store, query: ListQuery): AsyncGenerator<Uint8Array, void> {
  return pages(store, query, "lines");
}

/**
 * The same as a table. Its first row names the fields, so that all users are gone through before, to see which fields they
 * have; one that turns up only afterwards is left out.
 */
export async function* exportTable(store: Store, query: ListQuery): AsyncGenerator<Uint8Array, void> {
  const fields = new Set<string>();
  const decoder = new TextDecoder();
  for await (const page of pages(store, query, "fields")) {
    const found: string[] = JSON.parse(decoder.decode(page));
    for (const field of found) fields.add(field);
  }
  const columns = [...fields];
  yield new TextEncoder().encode(csvHeader(columns));
  yield* pages(store, query, { csv: columns });
}

/** Page after page; the next one is asked for while whoever asked is busy with this one. */
async function* pages(store: Store, query: ListQuery, form: PageForm): AsyncGenerator<Uint8Array, void> {
  const ask = (from: ListQuery["from"]) => {
    const page = Promise.resolve(store.list({ ...query, form, from, limit: bulkLimits.pageUsers }));
    // Awaited later than it may fail: until then, that is no error of the process.
    page.catch(() => undefined);
    return page;
  };
  let next = ask(undefined);
  for (;;) {
    const page = await next;
    if (page.next) next = ask(page.next);
    if (page.body.length > 0) yield page.body;
    if (!page.next) return;
  }
}
