import { bulkLimits } from "../../contract/bulk/bulk.ts";
import type { JsonObject } from "../../contract/json.ts";
import type { FieldsOfRecord } from "../../contract/record-fields.ts";
import { formatFieldRows } from "../csv/field-columns.ts";
import { addCount, type FieldCounts, mostFrequent } from "../csv/field-counts.ts";
import { type CsvColumns, createRowFormatter } from "../csv/write.ts";
import type { FieldPath } from "../field-path.ts";
import { createProjection, project, withIdAndVersion } from "../projection.ts";
import { finishSteps, runInTurns, type Steps } from "../scheduling/steps.ts";

/**
 * The format of a page of records: a JSON array, NDJSON, CSV rows with these columns, or the names of the records' most
 * frequent custom fields, each with the number of records that have it, as a JSON array of pairs.
 */
export type PageFormat =
  | "json"
  | "ndjson"
  | "field-counts"
  | { readonly csv: CsvColumns | readonly FieldPath[] };

/** What a page shows of its records, and how. */
export interface PageView {
  /** A JSON array by default. */
  readonly format?: PageFormat;
  /** Only these fields, and the id and version. All fields by default. CSV has its own columns. */
  readonly fields?: readonly FieldPath[];
}

const OPEN_BRACKET = 0x5b;
const COMMA = 0x2c;
const CLOSE_BRACKET = 0x5d;
const NEWLINE = 0x0a;

/** A page of records can have a hundred thousand different fields. The rare ones get no column anyway. */
const MAX_COUNTED_FIELDS = 2 * bulkLimits.csvFields;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Records that are parsed in one step. With the largest records, a step takes a millisecond. */
const RECORDS_PER_STEP = 2;

/** Formats records with these fields, each given as JSON in UTF-8. */
export function formatPage(
  records: readonly Uint8Array[],
  view: PageView,
  fields: FieldsOfRecord,
): Uint8Array<ArrayBuffer> {
  return finishSteps(formatInSteps(records, view, fields));
}

/** Like `formatPage`, and leaves the event loop to others between the steps. */
export function formatPageInTurns(
  records: readonly Uint8Array[],
  view: PageView,
  fields: FieldsOfRecord,
): Promise<Uint8Array<ArrayBuffer>> {
  return runInTurns(formatInSteps(records, view, fields));
}

function* formatInSteps(
  records: readonly Uint8Array[],
  { format = "json", fields: shown }: PageView,
  fields: FieldsOfRecord,
): Steps<Uint8Array<ArrayBuffer>> {
  if (format === "json" || format === "ndjson") {
    const members = shown ? yield* projectInSteps(records, shown) : records;
    return format === "json" ? joinArray(members) : joinLines(members);
  }
  const counts: FieldCounts = new Map();
  const formatRows = format === "field-counts" ? undefined : rowFormatter(fields, format.csv);
  let csv = "";
  for (let first = 0; first < records.length; first += RECORDS_PER_STEP) {
    if (first > 0) yield;
    const parsed = records.slice(first, first + RECORDS_PER_STEP).map(parseRecord);
    if (formatRows) csv += formatRows(parsed);
    else countFields(fields, parsed, counts);
  }
  if (format !== "field-counts") return encoder.encode(csv);
  yield;
  return encoder.encode(JSON.stringify([...mostFrequent(counts, MAX_COUNTED_FIELDS)]));
}

function rowFormatter(fields: FieldsOfRecord, columns: CsvColumns | readonly FieldPath[]) {
  return "customFields" in columns
    ? createRowFormatter(fields, columns)
    : (records: readonly JsonObject[]) => formatFieldRows(fields, records, columns);
}

function* projectInSteps(records: readonly Uint8Array[], fields: readonly FieldPath[]): Steps<Uint8Array[]> {
  const projection = createProjection(withIdAndVersion(fields));
  const projected: Uint8Array[] = [];
  for (const json of records) {
    if (projected.length > 0 && projected.length % RECORDS_PER_STEP === 0) yield;
    projected.push(encoder.encode(JSON.stringify(project(parseRecord(json), projection))));
  }
  return projected;
}

function parseRecord(json: Uint8Array): JsonObject {
  return JSON.parse(decoder.decode(json));
}

function countFields(fields: FieldsOfRecord, records: readonly JsonObject[], counts: FieldCounts): void {
  for (const record of records)
    for (const field in record) if (fields.isStoredAsCustom(field)) addCount(counts, field, 1);
}

function joinArray(members: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  let size = 2;
  for (const member of members) size += member.length + 1;
  const json = new Uint8Array(members.length > 0 ? size - 1 : size);
  json[0] = OPEN_BRACKET;
  let end = 1;
  for (const member of members) {
    if (end > 1) json[end++] = COMMA;
    json.set(member, end);
    end += member.length;
  }
  json[end] = CLOSE_BRACKET;
  return json;
}

function joinLines(members: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  let size = 0;
  for (const member of members) size += member.length + 1;
  const lines = new Uint8Array(size);
  let end = 0;
  for (const member of members) {
    lines.set(member, end);
    end += member.length;
    lines[end++] = NEWLINE;
  }
  return lines;
}
