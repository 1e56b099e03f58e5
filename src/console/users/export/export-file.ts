import type { BulkFormat } from "../../../client/index.ts";

/** How much has come so far. */
export interface Received {
  readonly bytes: number;
  /** Those whose line is whole; of a table, whose cells may hold newlines, nobody counts. */
  readonly users: number;
  readonly ms: number;
}

/** So often somebody is told. */
const PROGRESS_MS = 100;
/** So much is handed over to the browser at a time, which need not keep it in memory. */
const PART = 8 * 1024 * 1024;
const NEWLINE = 10;

/** Makes a file of what comes, however much it is. */
export async function readIntoFile(
  stream: ReadableStream<Uint8Array>,
  format: BulkFormat,
  onProgress: (received: Received) => void,
): Promise<Blob> {
  const begun = performance.now();
  const parts: Blob[] = [];
  let part: Uint8Array<ArrayBuffer>[] = [];
  let partBytes = 0;
  let [bytes, users, waitForToast] = [0, 0, 0];
  const reader = stream.getReader();
  for (let { value } = await reader.read(); value; { value } = await reader.read()) {
    part.push(new Uint8Array(value));
    bytes += value.length;
    partBytes += value.length;
    if (format === "ndjson") users += newlinesIn(value);
    if (partBytes > PART) {
      parts.push(new Blob(part));
      part = [];
      partBytes = 0;
    }
    const ms = performance.now() - begun;
    if (ms - waitForToast < PROGRESS_MS) continue;
    waitForToast = ms;
    onProgress({ bytes, users, ms });
  }
  return new Blob([...parts, ...part]);
}

function newlinesIn(bytes: Uint8Array): number {
  let count = 0;
  for (const byte of bytes) if (byte === NEWLINE) count++;
  return count;
}
