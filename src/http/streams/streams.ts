import { bulkLimits } from "../../contract/bulk/bulk.ts";
import type { Meter } from "../../domain/meter.ts";
import type { CallerLimits } from "../access/caller-limits.ts";
import { chooseStreamCoding, compressStream } from "../compression/compress-stream.ts";
import type { RequestContext } from "../request-context.ts";
import { streamResponse } from "../responses.ts";
import { openResponseStream } from "./response-stream.ts";
import type { Stream } from "./stream.ts";
import type { StreamPlaces } from "./stream-places.ts";

interface StreamParts {
  readonly places: StreamPlaces;
  readonly limits: CallerLimits;
  /** Closes the request's connection, with a response that the caller does not read. */
  closeConnection(request: Request): void;
  /** Receives the error that cuts off a response. */
  onStreamError(context: RequestContext, error: unknown): void;
}

interface OpenStream {
  readonly stream: Stream;
  /** Undefined if the caller has no limits. */
  readonly meter: Meter | undefined;
}

/** Opens streams for requests, and streams responses. */
export class Streams {
  readonly #parts: StreamParts;

  constructor(parts: StreamParts) {
    this.#parts = parts;
  }

  /** Takes a place until the stream ends. So many rows count as one request. Throws `unavailable`. */
  open(context: RequestContext, rowsPerRequest: number): OpenStream {
    const { places, limits } = this.#parts;
    const stream = places.open(limits.findOwner(context));
    return { stream, meter: limits.createMeter(context, rowsPerRequest, stream.signal) };
  }

  /** The same. The stream also ends with the connection, even before the first part of the response. */
  openWhileConnected(context: RequestContext, rowsPerRequest: number): OpenStream {
    const opened = this.open(context, rowsPerRequest);
    context.request.signal.addEventListener("abort", () => opened.stream.end());
    return opened;
  }

  /** Streams the body, and ends the stream. Rejects if there is an error before the first part of the body. */
  async respond(
    context: RequestContext,
    stream: Stream,
    type: string,
    body: AsyncGenerator<Uint8Array, void>,
    { headers, maxUnreadBytes }: { headers?: Record<string, string>; maxUnreadBytes?: number },
  ): Promise<Response> {
    const hooks = {
      onError: (error: unknown) => this.#parts.onStreamError(context, error),
      onAbort: () => this.#parts.closeConnection(context.request),
    };
    const readable = await openResponseStream(stream, body, hooks, maxUnreadBytes);
    return streamResponse(context, type, readable, headers);
  }

  /** Streams a list of any length, compressed if the caller accepts that. */
  async respondWithList(
    context: RequestContext,
    type: string,
    moreHeaders: Record<string, string>,
    list: (signal: AbortSignal, meter: Meter | undefined) => AsyncGenerator<Uint8Array, void>,
  ): Promise<Response> {
    const coding = chooseStreamCoding(context.request);
    const headers = {
      ...moreHeaders,
      vary: "Accept, Accept-Encoding",
      ...(coding && { "content-encoding": coding }),
    };
    // The length is unknown: like GET, HEAD announces a chunked body.
    if (context.request.method === "HEAD")
      return streamResponse(context, type, null, { ...headers, "transfer-encoding": "chunked" });
    const { stream, meter } = this.openWhileConnected(context, bulkLimits.pageUsers);
    const items = list(stream.signal, meter);
    return this.respond(context, stream, type, coding ? compressStream(items, coding) : items, { headers });
  }
}
