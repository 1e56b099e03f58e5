import { bulkLimits } from "../../contract/bulk/bulk.ts";
import { orderStoredFields } from "../../contract/users/user-fields.ts";
import { formatFieldHeader } from "../csv/field-columns.ts";
import { addCount, type FieldCounts, mostFrequent } from "../csv/field-counts.ts";
import { type CsvColumns, formatCsvHeader } from "../csv/write.ts";
import type { PageFormat } from "../lists/page-format.ts";
import type { Meter } from "../meter.ts";
import { withIdAndVersion } from "../projection.ts";
import type { UserListQuery } from "../users/user-list-fields.ts";
import type { UserStore } from "../users/user-store.ts";

/** Every user that matches the query, in order, one JSON object per line. Ends early when the signal aborts. */
export function exportNdjson(
  users: UserStore,
  query: UserListQuery,
  signal: AbortSignal,
  meter?: Meter,
): AsyncGenerator<Uint8Array, void> {
  return readPages(users, query, "ndjson", signal, meter);
}

/** The same as CSV. With `fields`, these are the columns. */
export async function* exportCsv(
  users: UserStore,
  query: UserListQuery,
  signal: AbortSignal,
  meter?: Meter,
): AsyncGenerator<Uint8Array, void> {
  const fields = query.fields && withIdAndVersion(query.fields);
  const columns = fields ?? (await chooseColumns(users, query, signal));
  const header = "customFields" in columns ? formatCsvHeader(columns) : formatFieldHeader(columns);
  yield new TextEncoder().encode(header);
  yield* readPages(users, query, { csv: columns }, signal, meter);
}

/**
 * The header needs every field name, so this reads all users. The most frequent fields get a column each, and
 * `MORE_COLUMN` has the others. Without `MORE_COLUMN`, a field that appears only after this read is left out.
 */
async function chooseColumns(
  users: UserStore,
  query: UserListQuery,
  signal: AbortSignal,
): Promise<CsvColumns> {
  let counts: FieldCounts = new Map();
  let hasMore = false;
  const decoder = new TextDecoder();
  for await (const page of readPages(users, query, "field-counts", signal)) {
    const pageCounts: [field: string, count: number][] = JSON.parse(decoder.decode(page));
    for (const [field, count] of pageCounts) addCount(counts, field, count);
    hasMore ||= counts.size > bulkLimits.csvFields;
    if (counts.size > MAX_COUNTED_FIELDS) counts = mostFrequent(counts, MAX_COUNTED_FIELDS / 2);
  }
  const customFields = orderStoredFields(mostFrequent(counts, bulkLimits.csvFields).keys());
  return { customFields, hasMore };
}

/** Limits the memory of an export. Over it, the rarer half is forgotten, so the choice of columns is approximate. */
const MAX_COUNTED_FIELDS = 10 * bulkLimits.csvFields;

/** Reads the next page while the consumer works on the current one. Fails with `quota-exceeded`. */
async function* readPages(
  users: UserStore,
  query: UserListQuery,
  format: PageFormat,
  signal: AbortSignal,
  meter?: Meter,
): AsyncGenerator<Uint8Array, void> {
  const readPage = (from: UserListQuery["from"]) => {
    const page = Promise.resolve(users.list({ ...query, format, from, limit: bulkLimits.pageUsers }));
    // The page is awaited later. Until then, a failure must not count as an unhandled rejection.
    page.catch(() => undefined);
    return page;
  };
  let next = readPage(undefined);
  while (!signal.aborted) {
    const page = await next;
    if (page.next) next = readPage(page.next);
    let sent = 0;
    if (meter) {
      // While the page waits for the rate limit, single bytes of it keep the connection open.
      for await (const _ of meter.count(page.size)) {
        if (sent + 1 < page.body.length) yield page.body.subarray(sent, ++sent);
      }
    }
    if (page.body.length > 0) yield page.body.subarray(sent);
    if (!page.next) return;
  }
}
