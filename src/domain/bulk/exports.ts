import { type BulkFormat, bulkLimits } from "../../contract/bulk/bulk.ts";
import type { FieldsOfRecord } from "../../contract/record-fields.ts";
import { formatFieldHeader } from "../csv/field-columns.ts";
import { addCount, type FieldCounts, mostFrequent } from "../csv/field-counts.ts";
import { type CsvColumns, formatCsvHeader } from "../csv/write.ts";
import type { ListQuery, Page } from "../lists/listing.ts";
import type { PageFormat } from "../lists/page-format.ts";
import type { MaybePromise } from "../maybe-promise.ts";
import type { Meter } from "../meter.ts";
import { withIdAndVersion } from "../projection.ts";

/** Records of one kind that can be exported. */
export interface ExportedRecords<Column extends string> {
  readonly fields: FieldsOfRecord;
  list(query: ListQuery<Column>): MaybePromise<Page>;
}

/** Every record that matches the query, in order. Ends early when the signal aborts. */
export function exportRecords<Column extends string>(
  records: ExportedRecords<Column>,
  format: BulkFormat,
  query: ListQuery<Column>,
  signal: AbortSignal,
  meter?: Meter,
): AsyncGenerator<Uint8Array, void> {
  return format === "csv"
    ? exportCsv(records, query, signal, meter)
    : readPages(records, query, "ndjson", signal, meter);
}

/** With `fields`, these are the columns. */
async function* exportCsv<Column extends string>(
  records: ExportedRecords<Column>,
  query: ListQuery<Column>,
  signal: AbortSignal,
  meter?: Meter,
): AsyncGenerator<Uint8Array, void> {
  const fields = query.fields && withIdAndVersion(query.fields);
  const columns = fields ?? (await chooseColumns(records, query, signal));
  const header =
    "customFields" in columns ? formatCsvHeader(records.fields, columns) : formatFieldHeader(columns);
  yield new TextEncoder().encode(header);
  yield* readPages(records, query, { csv: columns }, signal, meter);
}

/**
 * The header needs every field name, so this reads all records. The most frequent fields get a column each, and
 * `MORE_COLUMN` has the others. Without `MORE_COLUMN`, a field that appears only after this read is left out.
 */
async function chooseColumns<Column extends string>(
  records: ExportedRecords<Column>,
  query: ListQuery<Column>,
  signal: AbortSignal,
): Promise<CsvColumns> {
  let counts: FieldCounts = new Map();
  let hasMore = false;
  const decoder = new TextDecoder();
  for await (const page of readPages(records, query, "field-counts", signal)) {
    const pageCounts: [field: string, count: number][] = JSON.parse(decoder.decode(page));
    for (const [field, count] of pageCounts) addCount(counts, field, count);
    hasMore ||= counts.size > bulkLimits.csvFields;
    if (counts.size > MAX_COUNTED_FIELDS) counts = mostFrequent(counts, MAX_COUNTED_FIELDS / 2);
  }
  const customFields = records.fields.orderStored(mostFrequent(counts, bulkLimits.csvFields).keys());
  return { customFields, hasMore };
}

/** Limits the memory of an export. Over it, the rarer half is forgotten, so the choice of columns is approximate. */
const MAX_COUNTED_FIELDS = 10 * bulkLimits.csvFields;

async function* readPages<Column extends string>(
  records: ExportedRecords<Column>,
  query: ListQuery<Column>,
  format: PageFormat,
  signal: AbortSignal,
  meter?: Meter,
): AsyncGenerator<Uint8Array, void> {
  const limit = bulkLimits.pageUsers;
  const readPage = (from: ListQuery["from"]) => records.list({ ...query, format, from, limit });
  yield* streamPages(readPage, signal, meter);
}

/** A page of an export, as it is sent. */
interface ExportPage<Position> {
  readonly body: Uint8Array;
  /** The number of rows. */
  readonly size: number;
  /** Where the next page begins; undefined at the end. */
  readonly next?: Position | undefined;
}

/** Reads the next page while the consumer works on the current one. Fails with `quota-exceeded`. */
export async function* streamPages<Position>(
  read: (from: Position | undefined) => MaybePromise<ExportPage<Position>>,
  signal: AbortSignal,
  meter?: Meter,
): AsyncGenerator<Uint8Array, void> {
  const readPage = (from: Position | undefined) => {
    const page = Promise.resolve(read(from));
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
