import { promisify } from "node:util";
import { brotliCompress, brotliCompressSync, constants, gzip, zstdCompress } from "node:zlib";
import type { Coding } from "./accept-encoding.ts";

type Bytes = Uint8Array<ArrayBuffer>;
/** The level of each coding. With a higher level, bodies are smaller and compression takes longer. */
type Levels = Readonly<Record<Coding, 1 | 9 | 12>>;

/** For bodies that are compressed for each response. */
export const FAST: Levels = { br: 1, gzip: 1, zstd: 1 };
/** For bodies that are compressed once. */
export const THOROUGH: Levels = { br: 9, gzip: 9, zstd: 12 };

const onThread = {
  br: promisify(brotliCompress),
  gzip: promisify(gzip),
  zstd: promisify(zstdCompress),
};

/** Compresses on another thread. */
export function compress(body: Bytes, coding: Coding, levels: Levels): Promise<Bytes> {
  // One buffer for the whole result: each further one would take another change of threads.
  const options = { ...zlibOptions(coding, levels), chunkSize: Math.max(body.length, 1024) };
  return onThread[coding](body, options);
}

/** Compresses a short body: less than changing to another thread and back takes. */
export function compressSync(body: Bytes, coding: Coding): Bytes {
  if (coding === "gzip") return Bun.gzipSync(body, { level: FAST.gzip });
  if (coding === "br") return brotliCompressSync(body, zlibOptions("br", FAST));
  return new Uint8Array(Bun.zstdCompressSync(body, { level: FAST.zstd }));
}

export function zlibOptions(coding: Coding, levels: Levels): object {
  if (coding === "gzip") return { level: levels.gzip };
  const parameter = coding === "br" ? constants.BROTLI_PARAM_QUALITY : constants.ZSTD_c_compressionLevel;
  return { params: { [parameter]: levels[coding] } };
}
