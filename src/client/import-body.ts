import type { ImportSourceOf } from "./bulk-types.ts";
import type { BulkFormat } from "./service-types.ts";
import type { StreamingCall } from "./transport/streaming-call.ts";
import { now } from "./transport/timer.ts";

/** The common part of iterators and stream readers. */
interface Parts {
  next(): Part | Promise<Part>;
  return?(): unknown;
}
interface Part {
  readonly done?: boolean | undefined;
  readonly value?: unknown;
}

/** Items are sent in batches of this many characters, or as many as arrive in this time. */
const BATCH_CHARACTERS = 65_536;
const BATCH_MS = 100;
/** Yield to the event loop this often: a fast source on a fast connection would block it. */
const YIELD_MS = 10;

/** The request body of an import. Reads the source as fast as the service accepts it, and closes it when the import ends. */
export class ImportBody {
  readonly #source: ImportSourceOf<unknown>;
  readonly #format: BulkFormat;
  readonly #call: StreamingCall;
  readonly #encoder = new TextEncoder();
  #objects = 0;
  #ended = false;
  #cancelled = false;
  #yieldedAt = now();

  constructor(source: ImportSourceOf<unknown>, format: BulkFormat, call: StreamingCall) {
    this.#source = source;
    this.#format = format;
    this.#call = call;
  }

  /** Whether the source had more lines than this, as far as the client can tell. */
  hasMoreThan(lines: number): boolean {
    return !this.#ended || lines < this.#objects;
  }

  /** A Blob if the source is in memory or `buffered` is true, else a stream. */
  async body(buffered: boolean): Promise<Blob | ReadableStream> {
    const source = this.#source;
    if (source instanceof Blob) {
      this.#ended = true;
      return source;
    }
    const isData = typeof source === "string" || source instanceof Uint8Array;
    const body = this.#toStream(toParts(isData ? [source] : source));
    return buffered || isData || Array.isArray(source) ? new Response(body).blob() : body;
  }

  #toStream(parts: Parts): ReadableStream<Uint8Array> {
    const { signal } = this.#call;
    return new ReadableStream<Uint8Array>(
      {
        start(controller) {
          // Not every platform stops reading when the call ends.
          signal.addEventListener("abort", async () => {
            controller.error(signal.reason);
            try {
              await parts.return?.();
            } catch {
              // The call already throws the reason of the signal.
            }
          });
        },
        pull: (controller) => this.#pull(parts, controller),
        // The service responded before it read everything: its response counts.
        cancel: () => {
          this.#cancelled = true;
        },
      },
      // Read nothing before the service asks for it.
      { highWaterMark: 0 },
    );
  }

  async #pull(parts: Parts, controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    this.#call.waitsForSource = true;
    try {
      if (now() - this.#yieldedAt > YIELD_MS) {
        await new Promise((resolve) => setTimeout(resolve));
        this.#yieldedAt = now();
      }
      const batch = await this.#readBatch(parts);
      if (this.#cancelled) return;
      for (const bytes of batch) if (bytes.length > 0) controller.enqueue(bytes);
      if (this.#ended) controller.close();
    } catch (error) {
      this.#call.stop(error);
    } finally {
      this.#call.waitsForSource = false;
    }
  }

  /** Not empty, except at the end of the source. */
  async #readBatch(parts: Parts): Promise<Uint8Array[]> {
    const deadline = now() + BATCH_MS;
    let text = "";
    let bytes: Uint8Array = new Uint8Array();
    do {
      const { done, value } = await parts.next();
      if (done) this.#ended = true;
      else if (value instanceof Uint8Array) bytes = value;
      else text += typeof value === "string" ? value : this.#toLine(value);
    } while (
      !(this.#ended || bytes.length > 0) &&
      (text === "" || (text.length < BATCH_CHARACTERS && now() < deadline))
    );
    return [this.#encoder.encode(text), bytes];
  }

  #toLine(item: unknown): string {
    if (this.#format !== "ndjson") {
      throw new TypeError(
        `With format: "${this.#format}" the source must be text or bytes. Omit the format to import objects.`,
      );
    }
    this.#objects++;
    return `${JSON.stringify(item)}\n`;
  }
}

/** Uses a reader for streams: not every platform can iterate over them. */
function toParts(source: Exclude<ImportSourceOf<unknown>, string | Uint8Array | Blob>): Parts {
  if ("getReader" in source) {
    const reader = source.getReader();
    return { next: () => reader.read(), return: () => reader.cancel() };
  }
  return Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]();
}
