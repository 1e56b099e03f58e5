import { constants, createGunzip, createZstdDecompress } from "node:zlib";
import { bulkLimits } from "../../contract/bulk/bulk.ts";
import { ProblemError } from "../../domain/problem-error.ts";
import { HttpProblemError } from "../problem-response.ts";
import { CHUNK_BYTES } from "./compress.ts";
import { sendThrough } from "./zlib-stream.ts";
import { ZstdFrames } from "./zstd-frames.ts";

/** The content codings of request bodies. */
const codings = ["gzip", "zstd"] as const;
type RequestCoding = (typeof codings)[number];

const decoders = {
  gzip: () => createGunzip({ chunkSize: CHUNK_BYTES }),
  zstd: () =>
    createZstdDecompress({
      chunkSize: CHUNK_BYTES,
      params: { [constants.ZSTD_d_windowLogMax]: MAX_WINDOW_LOG },
    }),
} as const;
/** A window of 8 MiB, the most that senders may use (RFC 9659). The decoder allocates the window in memory. */
const MAX_WINDOW_LOG = 23;

/**
 * The content coding of the request body, or undefined if it is not compressed. Throws `unsupported-media-type`, with
 * Accept-Encoding (RFC 9110, section 15.5.16).
 */
export function readContentCoding({ headers }: Request): RequestCoding | undefined {
  const header = headers.get("content-encoding");
  if (header === null) return undefined;
  const name = header.trim().toLowerCase();
  if (name === "identity") return undefined;
  const coding = codings.find((each) => each === (name === "x-gzip" ? "gzip" : name));
  if (coding) return coding;
  const detail = `Content-Encoding ${name || "without a coding"} is not supported. Send ${codings.join(" or ")}, or an uncompressed body.`;
  throw new HttpProblemError("unsupported-media-type", detail, { "accept-encoding": codings.join(", ") });
}

/**
 * Decompresses a body as the consumer reads it. Throws `malformed-json` if the body is damaged or incomplete, and
 * `too-large` if it is much larger than what was received: a small body must not cause much work.
 */
export async function* decompress(
  coding: RequestCoding,
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void> {
  const { decompressedBytes, compressionRatio } = bulkLimits;
  const frames = coding === "zstd" ? new ZstdFrames() : undefined;
  let received = 0;
  let decompressed = 0;
  const receive = async function* () {
    for await (const bytes of body) {
      received += bytes.length;
      frames?.add(bytes);
      yield bytes;
    }
    if (frames?.areComplete === false) throw damaged(coding);
  };
  try {
    for await (const bytes of sendThrough(decoders[coding](), receive())) {
      decompressed += bytes.length;
      if (decompressed > Math.max(decompressedBytes, received * compressionRatio))
        throw bomb(compressionRatio);
      yield bytes;
    }
  } catch (error) {
    // Other errors are those of the decoder.
    throw error instanceof ProblemError ? error : damaged(coding);
  }
}

function damaged(coding: RequestCoding): ProblemError {
  return new ProblemError("malformed-json", `The body is not valid ${coding}, or it is incomplete.`);
}

function bomb(ratio: number): ProblemError {
  return new ProblemError(
    "too-large",
    `The body is more than ${ratio} times larger when it is decompressed. Send it uncompressed.`,
  );
}
