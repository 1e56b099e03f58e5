import { promisify } from "node:util";
import { brotliCompress, brotliCompressSync, constants, gzip } from "node:zlib";
import type { Coding } from "./accept-encoding.ts";

type Bytes = Uint8Array<ArrayBuffer>;
/** The level of each coding. With a higher level, bodies are smaller and compression takes longer. */
type Levels = Readonly<Record<Coding, 1 | 9 | 12>>;

/** For bodies that are compressed for each response. */
export const FAST: Levels = { br: 1, gzip: 1, zstd: 1 };
/** For bodies that are compressed once. */
export const THOROUGH: Levels = { br: 9, gzip: 9, zstd: 12 };

/** Results of up to this size take one change of threads, longer ones several. */
export const CHUNK_BYTES = 65_536;

const gzipOnThread = promisify(gzip);
const brotliOnThread = promisify(brotliCompress);

/** Compresses on another thread. */
export async function compress(body: Bytes, coding: Coding, levels: Levels): Promise<Bytes> {
  // Bun's own function needs a third of the CPU time of the one in node:zlib.
  if (coding === "zstd") return new Uint8Array(await Bun.zstdCompress(body, { level: levels.zstd }));
  const options = { ...zlibOptions(coding, levels), chunkSize: CHUNK_BYTES };
  return coding === "gzip" ? gzipOnThread(body, options) : brotliOnThread(body, options);
}

/** Compresses on the event loop, for short bodies: a change of threads takes longer than the work. */
export function compressSync(body: Bytes, coding: Coding): Bytes {
  if (coding === "gzip") return Bun.gzipSync(body, { level: FAST.gzip });
  if (coding === "br") return brotliCompressSync(body, zlibOptions("br", FAST));
  return new Uint8Array(Bun.zstdCompressSync(body, { level: FAST.zstd }));
}

function zlibOptions(coding: Coding, levels: Levels): object {
  if (coding === "gzip") return { level: levels.gzip };
  const parameter = coding === "br" ? constants.BROTLI_PARAM_QUALITY : constants.ZSTD_c_compressionLevel;
  return { params: { [parameter]: levels[coding] } };
}
