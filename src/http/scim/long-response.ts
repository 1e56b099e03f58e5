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

/** A body up to this length is sent as a whole. */
const MAX_WHOLE_CHARACTERS = 262_144;

/** Responds with a body of any length: as a whole, or in parts while the caller reads it. Takes a place among the streams then. */
export async function respondInParts(
  context: RequestContext,
  streams: Streams,
  parts: AsyncGenerator<string, void>,
  { status = 200, headers = {}, isList = false, onBegin }: LongResponse,
): Promise<Response> {
  const type = chooseMediaType(context.request);
  let begin = "";
  for (;;) {
    const { done, value } = await parts.next();
    if (done) break;
    begin += value;
    if (value !== KEEP_ALIVE && begin.length <= MAX_WHOLE_CHARACTERS) continue;
    onBegin?.();
    const response = await streams.respondWithList(context, type, headers, (signal) =>
      encodeParts(begin, parts, signal),
    );
    if (response.body === null) await parts.return();
    return status === 200 ? response : new Response(response.body, { status, headers: response.headers });
  }
  const typed = { "content-type": type, ...headers };
  return isList
    ? compressibleResponse(context, new TextEncoder().encode(begin), { ...typed, vary: "Accept" })
    : jsonResponse(context, status, begin, typed);
}

async function* encodeParts(
  begin: string,
  rest: AsyncGenerator<string, void>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void> {
  const encoder = new TextEncoder();
  yield encoder.encode(begin);
  for await (const part of rest) {
    if (signal.aborted) return;
    yield encoder.encode(part);
  }
}
