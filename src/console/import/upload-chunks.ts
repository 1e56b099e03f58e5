import type { Target } from "./mapping.ts";
import type { FailedRow, Row, Source } from "./source.ts";

/** Rows that are sent in one request. Browsers can't stream requests, so a file is sent in chunks. */
export interface UploadChunk {
  /** Counted from 0. */
  readonly number: number;
  readonly sent: readonly Row[];
  /** Rows that can't be sent. */
  readonly failed: readonly FailedRow[];
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
    const errors = source.findErrors(row, targets);
    if (errors.length > 0) failed.push({ row, errors });
    else sent.push(row);
  }
  return { number, sent, failed, bytes };
}
