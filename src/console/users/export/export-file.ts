import type { BulkFormat } from "../../../client/index.ts";

/** Progress of an export. */
export interface Received {
  readonly bytes: number;
  /** Number of complete users. Unknown in a stream of CSV, whose cells may contain newlines. */
  readonly users: number | undefined;
  readonly ms: number;
}

/** Time between progress reports. */
const PROGRESS_MS = 100;
/** Size of a blob. The browser can move blobs out of memory. */
const BLOB_BYTES = 8 * 1024 * 1024;
const NEWLINE = 10;

/** Reads a stream of any size into a file. */
export async function readIntoFile(
  stream: ReadableStream<Uint8Array>,
  format: BulkFormat,
  onProgress: (received: Received) => void,
): Promise<Blob> {
  const startedAt = performance.now();
  const blobs: Blob[] = [];
  let buffered: Uint8Array<ArrayBuffer>[] = [];
  let bufferedBytes = 0;
  let [bytes, lines, reportedMs] = [0, 0, 0];
  const reader = stream.getReader();
  for (let { value } = await reader.read(); value; { value } = await reader.read()) {
    buffered.push(new Uint8Array(value));
    bytes += value.length;
    bufferedBytes += value.length;
    if (format === "ndjson") lines += countNewlines(value);
    if (bufferedBytes > BLOB_BYTES) {
      blobs.push(new Blob(buffered));
      buffered = [];
      bufferedBytes = 0;
    }
    const ms = performance.now() - startedAt;
    if (ms - reportedMs < PROGRESS_MS) continue;
    reportedMs = ms;
    onProgress({ bytes, users: format === "ndjson" ? lines : undefined, ms });
  }
  return new Blob([...blobs, ...buffered]);
}

function countNewlines(bytes: Uint8Array): number {
  let count = 0;
  for (const byte of bytes) if (byte === NEWLINE) count++;
  return count;
}
