import { compressibleResponse } from "../compression/compressible.ts";
import type { RequestContext } from "../request-context.ts";
import { jsonResponse } from "../responses.ts";
import type { Streams } from "../streams/streams.ts";
import { KEEP_ALIVE } from "./document-writer.ts";
import { chooseMediaType } from "./media-type.ts";

interface LongResponse {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  /** Whether a short body may be compressed, too. Not if it is one resource: see `compressibleResponse`. */
  readonly isList?: boolean;
  /** Called before the first byte of a long body is sent. From then on, an error cuts it off. */
  readonly onBegin?: () => void;
}

/** A part of a body: text or bytes. */
export type BodyPart = string | Uint8Array<ArrayBuffer>;

/** A body up to this size is sent as a whole. */
const MAX_WHOLE_BYTES = 262_144;

const encoder = new TextEncoder();

/** Responds with a body of any length: as a whole, or in parts while the caller reads it. Takes a place among the streams then. */
export async function respondInParts(
  context: RequestContext,
  streams: Streams,
  parts: AsyncGenerator<BodyPart, void>,
  { status = 200, headers = {}, isList = false, onBegin }: LongResponse,
): Promise<Response> {
  const type = chooseMediaType(context.request);
  const begin: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await parts.next();
    if (done) break;
    const bytes = encode(value);
    begin.push(bytes);
    size += bytes.length;
    if (value !== KEEP_ALIVE && size <= MAX_WHOLE_BYTES) continue;
    onBegin?.();
    const response = await streams.respondWithList(context, type, headers, (signal) =>
      encodeParts(begin, parts, signal),
    );
    if (response.body === null) await parts.return();
    return status === 200 ? response : new Response(response.body, { status, headers: response.headers });
  }
  const body = join(begin, size);
  const typed = { "content-type": type, ...headers };
  return isList
    ? compressibleResponse(context, body, { ...typed, vary: "Accept" })
    : jsonResponse(context, status, body, typed);
}

async function* encodeParts(
  begin: readonly Uint8Array[],
  rest: AsyncGenerator<BodyPart, void>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void> {
  yield* begin;
  for await (const part of rest) {
    if (signal.aborted) return;
    yield encode(part);
  }
}

function encode(part: BodyPart): Uint8Array<ArrayBuffer> {
  return typeof part === "string" ? encoder.encode(part) : part;
}

function join(parts: readonly Uint8Array<ArrayBuffer>[], size: number): Uint8Array<ArrayBuffer> {
  const [only, ...others] = parts;
  if (only && others.length === 0) return only;
  const joined = new Uint8Array(size);
  let end = 0;
  for (const part of parts) {
    joined.set(part, end);
    end += part.length;
  }
  return joined;
}
