import { constants, createBrotliCompress, createGzip, createZstdCompress } from "node:zlib";
import { type Coding, chooseCoding } from "./accept-encoding.ts";
import { CHUNK_BYTES, FAST } from "./compress.ts";
import { FASTEST_FIRST } from "./compressible.ts";
import { sendThrough } from "./zlib-stream.ts";

/** Each part is sent at once: single bytes keep the connection open while an export waits for the rate limit. */
const compressors = {
  br: () =>
    createBrotliCompress({
      chunkSize: CHUNK_BYTES,
      flush: constants.BROTLI_OPERATION_FLUSH,
      params: {
        [constants.BROTLI_PARAM_QUALITY]: FAST.br,
        // A window of 256 KiB instead of 4 MiB: 64 streams may run.
        [constants.BROTLI_PARAM_LGWIN]: 18,
      },
    }),
  gzip: () => createGzip({ chunkSize: CHUNK_BYTES, flush: constants.Z_SYNC_FLUSH, level: FAST.gzip }),
  zstd: () =>
    createZstdCompress({
      chunkSize: CHUNK_BYTES,
      flush: constants.ZSTD_e_flush,
      params: { [constants.ZSTD_c_compressionLevel]: FAST.zstd },
    }),
} as const;

/** The content coding of a streamed response, or undefined for none. */
export function chooseStreamCoding({ headers }: Request): Coding | undefined {
  const coding = chooseCoding(headers.get("accept-encoding"), FASTEST_FIRST, Number.POSITIVE_INFINITY);
  return coding === "identity" ? undefined : coding;
}

/** Compresses a stream on another thread, as the consumer reads it. */
export function compressStream(
  parts: AsyncIterable<Uint8Array>,
  coding: Coding,
): AsyncGenerator<Uint8Array, void> {
  return sendThrough(compressors[coding](), parts);
}
