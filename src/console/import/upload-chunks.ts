import type { ImportedLine } from "../../client/index.ts";
import { formatValue } from "../users/fields.ts";
import type { Target } from "./mapping.ts";
import type { FailedRow, Row, Source } from "./source.ts";

/** Rows that are sent in one request. Browsers can't stream requests, so a file is sent in chunks. */
export interface UploadChunk {
  /** Counted from 0. */
  readonly number: number;
  readonly sent: readonly Row[];
  /** Rows that can't be parsed, and are not sent. */
  readonly failed: readonly FailedRow[];
  readonly text: string;
  /** Bytes of the file up to the end of this chunk, approximately. */
  readonly bytes: number;
}

const CHUNK_ROWS = 2000;
const CHUNK_CHARACTERS = 1_048_576;

/** Splits the file into chunks. An error in the file is thrown after the rows before it. */
export async function* splitIntoChunks(
  source: Source,
  targets: readonly Target[],
): AsyncGenerator<UploadChunk, void> {
  let number = 0;
  let rows: Row[] = [];
  let characters = 0;
  let read = 0;
  const cut = (bytes: number) => {
    const chunk = buildChunk(source, targets, rows, number++, bytes);
    rows = [];
    characters = 0;
    return chunk;
  };
  try {
    for await (const batch of source.read()) {
      const bytesPerRow = (batch.bytes - read) / batch.rows.length;
      for (const row of batch.rows) {
        rows.push(row);
        read += bytesPerRow;
        for (const cell of row.cells) characters += cell.length;
        if (rows.length >= CHUNK_ROWS || characters >= CHUNK_CHARACTERS) yield cut(read);
      }
      read = batch.bytes;
    }
  } catch (error) {
    if (rows.length > 0) yield cut(read);
    throw error;
  }
  if (rows.length > 0) yield cut(source.size);
}

/** The rows of the sample that fit into one chunk. */
export function buildFirstChunk(source: Source, targets: readonly Target[]): UploadChunk {
  let characters = 0;
  const end = source.sample.findIndex(({ cells }) => {
    for (const cell of cells) characters += cell.length;
    return characters > CHUNK_CHARACTERS;
  });
  const rows = end === -1 ? source.sample : source.sample.slice(0, end);
  return buildChunk(source, targets, rows, 0, 0);
}

function buildChunk(
  source: Source,
  targets: readonly Target[],
  rows: readonly Row[],
  number: number,
  bytes: number,
): UploadChunk {
  const sent: Row[] = [];
  const failed: FailedRow[] = [];
  for (const row of rows) {
    const reason = source.findRowError(row);
    const [typeError] = source.findTypeErrors(row, targets);
    if (reason !== undefined) failed.push({ row, reason });
    else if (typeError) failed.push(toTypeError(source, targets, row, ...typeError));
    else sent.push(row);
  }
  return { number, sent, failed, text: source.write(sent, targets), bytes };
}

function toTypeError(
  source: Source,
  targets: readonly Target[],
  row: Row,
  field: string,
  reason: string,
): FailedRow {
  return { row, reason, field, value: formatValue(source.toRecord(row, targets)?.get(field)) };
}

/** A row that the service rejected, with the reason. */
export function toFailedRow(
  source: Source,
  targets: readonly Target[],
  row: Row,
  { problem }: ImportedLine,
): FailedRow {
  const [error] = problem?.errors ?? [];
  const field = problem?.type.endsWith("email-taken") ? "email" : error?.pointer?.split("/")[1];
  const value = field === undefined ? undefined : source.toRecord(row, targets)?.get(field);
  return { row, reason: error?.detail ?? problem?.detail ?? "", field, value: formatValue(value) };
}
