import type { ImportedLine } from "../../client/index.ts";
import { formatValue } from "../users/fields.ts";
import type { Target } from "./mapping.ts";
import type { FailedRow, Row, Source } from "./source.ts";

/** Some rows that are sent together: browsers send no streams, so that a file goes in parts. */
export interface UploadChunk {
  /** Counted from 0. */
  readonly number: number;
  readonly sent: readonly Row[];
  /** Those that no user can be made of, whatever the service is like. */
  readonly failed: readonly FailedRow[];
  readonly text: string;
  /** How many bytes of the file end with it, about. */
  readonly bytes: number;
}

const CHUNK_ROWS = 2000;
const CHUNK_CHARACTERS = 1_048_576;

/** The file in parts, in order. What is wrong with the file itself is thrown after the rows before it. */
export async function* splitIntoChunks(
  source: Source,
  targets: readonly Target[],
): AsyncGenerator<UploadChunk, void> {
  let number = 0;
  let rows: Row[] = [];
  let characters = 0;
  let read = 0;
  const cut = (bytes: number) => {
    const part = buildChunk(source, targets, rows, number++, bytes);
    rows = [];
    characters = 0;
    return part;
  };
  try {
    for await (const batch of source.read()) {
      const each = (batch.bytes - read) / batch.rows.length;
      for (const row of batch.rows) {
        rows.push(row);
        read += each;
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
    if (reason === undefined) sent.push(row);
    else failed.push({ row, reason });
  }
  return { number, sent, failed, text: source.write(sent, targets), bytes };
}

/** What the service found wrong with a row, in words. */
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
