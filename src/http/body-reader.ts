import type { ProblemType } from "../contract/problems.ts";
import type { Clock } from "../domain/clock.ts";
import { decodeBody, parseJsonText } from "../domain/json-text.ts";
import { ProblemError } from "../domain/problem-error.ts";
import { RunningTimeout } from "../domain/running-timeout.ts";
import { loopShare } from "../domain/scheduling/loop-share.ts";
import type { CallerLimits } from "./access/caller-limits.ts";
import { decompress, readContentCoding } from "./compression/request-body.ts";
import type { ConcurrencyLimit } from "./concurrency-limit.ts";
import { HttpProblemError } from "./problem-response.ts";
import type { RequestContext } from "./request-context.ts";
import type { Stream } from "./streams/stream.ts";

/** Parsing and checking a body of this size takes a fraction of a millisecond. */
const QUICK_BYTES = 8192;

/** Bodies of this size are received at once, in a fraction of a millisecond. */
const QUICK_READ_BYTES = 262_144;

/** Reads request bodies, up to a size and within a time. Callers with large bodies take turns. */
export class BodyReader {
  /** The time for the whole body, from the end of the request's headers. */
  readonly #timeoutMs: number;
  readonly #concurrency: ConcurrencyLimit;
  readonly #clock: Clock;
  readonly #limits: Pick<CallerLimits, "findOwner">;

  constructor(
    readonly maxBytes: number,
    timeoutMs: number,
    concurrency: ConcurrencyLimit,
    clock: Clock,
    limits: Pick<CallerLimits, "findOwner">,
  ) {
    this.#timeoutMs = timeoutMs;
    this.#concurrency = concurrency;
    this.#clock = clock;
    this.#limits = limits;
  }

  /**
   * The body without its content coding. Throws `too-large`, `request-timeout`, and `malformed-json` if the connection is
   * lost or the compressed body is damaged.
   */
  async read(context: RequestContext, maxBytes = this.maxBytes): Promise<Uint8Array> {
    const { request } = context;
    const coding = readContentCoding(request);
    const received = await this.#concurrency.releaseWhile(this.#readBytes(request, maxBytes));
    const bytes = coding === undefined ? received : await collect(decompress(coding, [received]), maxBytes);
    // What follows, until the next wait, can take milliseconds.
    if (bytes.length > QUICK_BYTES)
      await loopShare.nextTurn({ owner: this.#limits.findOwner(context), alone: true });
    return bytes;
  }

  async readText(context: RequestContext, maxBytes: number): Promise<string> {
    return decodeBody(await this.read(context, maxBytes));
  }

  /** Stops reading as soon as the body is too large. After a timeout, the response closes the connection. */
  async #readBytes(request: Request, maxBytes: number): Promise<Uint8Array> {
    const contentLength = request.headers.get("content-length");
    if (contentLength !== null && Number(contentLength) > maxBytes) throw tooLarge(maxBytes);
    const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
    const timeoutMs = this.#timeoutMs;
    const timeout = new RunningTimeout(() => reject(timedOut(timeoutMs)), timeoutMs, this.#clock);
    const bytes = Number(contentLength ?? Number.POSITIVE_INFINITY);
    const reading =
      bytes > QUICK_READ_BYTES
        ? collect(readChunks(request), maxBytes, bytes)
        : rejectIncomplete(request.bytes());
    reading.then(resolve, reject);
    try {
      return await promise;
    } finally {
      timeout.clear();
    }
  }
}

/** The bytes of the body as they arrive. Throws the problem if the service closes the stream. */
export async function* readChunks(request: Request, stream?: Stream): AsyncGenerator<Uint8Array, void> {
  const reader = (request.body ?? new Blob().stream()).getReader();
  try {
    for (;;) {
      const next = rejectIncomplete(reader.read());
      const { done, value } = await (stream?.receive(next) ?? next);
      if (done) return;
      yield value;
    }
  } finally {
    reader.cancel().catch(() => undefined);
  }
}

/** `expectedBytes` is what the body says about its size, if it does. */
async function collect(
  chunks: AsyncIterable<Uint8Array>,
  maxBytes: number,
  expectedBytes = Number.POSITIVE_INFINITY,
): Promise<Uint8Array> {
  // One buffer for the whole body: separate chunks of one byte each would take a hundred times the memory.
  const buffer = new Bun.ArrayBufferSink();
  // To let it grow would copy megabytes at once.
  if (expectedBytes <= maxBytes) buffer.start({ highWaterMark: expectedBytes });
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > maxBytes) throw tooLarge(maxBytes);
    buffer.write(chunk);
    if (loopShare.isSpent) await loopShare.nextTurn();
  }
  return new Uint8Array(buffer.end());
}

function tooLarge(maxBytes: number): ProblemError {
  return new ProblemError("too-large", `The body is larger than ${maxBytes} bytes.`);
}

function timedOut(timeoutMs: number): ProblemError {
  const detail = `The body was not complete after ${timeoutMs / 1000} s. Nothing was changed.`;
  return new HttpProblemError("request-timeout", detail, { connection: "close" });
}

/** A lost connection is not an error of the service: a problem keeps it out of the error log. */
async function rejectIncomplete<T>(part: Promise<T>): Promise<T> {
  try {
    return await part;
  } catch {
    throw new ProblemError("malformed-json", "The connection was lost before the end of the body.");
  }
}

/** `invalid` is the problem of a body that is nested too deeply. */
export function parseJson(bytes: Uint8Array, invalid?: ProblemType): unknown {
  return parseJsonText(decodeBody(bytes), "body", invalid);
}
