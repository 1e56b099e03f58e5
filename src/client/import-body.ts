import type { StreamingCall } from "./streaming-call.ts";
import type { BulkFormat, ImportSource } from "./types.ts";

/** What iterators and the readers of streams have in common. */
interface Parts {
  next(): Part | Promise<Part>;
  return?(): unknown;
}
interface Part {
  readonly done?: boolean | undefined;
  readonly value?: unknown;
}

/** Users are sent some at a time: so many characters of them, or as many as come within so many milliseconds. */
const BATCH = 65_536;
const BATCH_MS = 100;
/** Where neither the source nor the socket ever makes it wait, taking would be all that the program does. */
const TURN_MS = 10;

/** What is to be imported, taken no faster than the service takes it, and left alone when the import is over. */
export class ImportBody {
  readonly #given: ImportSource<unknown>;
  readonly #format: BulkFormat;
  readonly #stream: StreamingCall;
  readonly #encoder = new TextEncoder();
  #users = 0;
  #ended = false;
  #unwanted = false;
  #turn = performance.now();

  constructor(given: ImportSource<unknown>, format: BulkFormat, stream: StreamingCall) {
    this.#given = given;
    this.#format = format;
    this.#stream = stream;
  }

  /** Whether it had more than so many lines, as far as that can be told. */
  hasMoreThan(lines: number): boolean {
    return !this.#ended || lines < this.#users;
  }

  /** All of it, where it is at hand already or has to be; else a stream. */
  async body(whole: boolean): Promise<Blob | ReadableStream> {
    const given = this.#given;
    if (given instanceof Blob) {
      this.#ended = true;
      return given;
    }
    const atHand = typeof given === "string" || given instanceof Uint8Array;
    const body = this.#toStream(iteratorOf(atHand ? [given] : given));
    return whole || atHand || Array.isArray(given) ? new Response(body).blob() : body;
  }

  #toStream(parts: Parts): ReadableStream<Uint8Array> {
    const { signal } = this.#stream;
    return new ReadableStream<Uint8Array>(
      {
        start(controller) {
          // Not every platform stops taking when the call is over.
          signal.addEventListener("abort", async () => {
            controller.error(signal.reason);
            try {
              await parts.return?.();
            } catch {
              // Why the call is over has been said.
            }
          });
        },
        pull: (controller) => this.#give(parts, controller),
        // The service has answered before it had everything: what it says is what counts.
        cancel: () => {
          this.#unwanted = true;
        },
      },
      // Nothing is taken before the service wants it.
      { highWaterMark: 0 },
    );
  }

  async #give(parts: Parts, controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    this.#stream.waitsForSource = true;
    try {
      if (performance.now() - this.#turn > TURN_MS) {
        await new Promise((resolve) => setTimeout(resolve));
        this.#turn = performance.now();
      }
      const taken = await this.#take(parts);
      if (this.#unwanted) return;
      for (const bytes of taken) if (bytes.length > 0) controller.enqueue(bytes);
      if (this.#ended) controller.close();
    } catch (error) {
      this.#stream.stop(error);
    } finally {
      this.#stream.waitsForSource = false;
    }
  }

  /** At least something, unless it has ended. */
  async #take(parts: Parts): Promise<Uint8Array[]> {
    const end = performance.now() + BATCH_MS;
    let text = "";
    let bytes: Uint8Array = new Uint8Array();
    do {
      const { done, value } = await parts.next();
      if (done) this.#ended = true;
      else if (value instanceof Uint8Array) bytes = value;
      else text += typeof value === "string" ? value : this.#line(value);
    } while (
      !(this.#ended || bytes.length > 0) &&
      (text === "" || (text.length < BATCH && performance.now() < end))
    );
    return [this.#encoder.encode(text), bytes];
  }

  #line(user: unknown): string {
    if (this.#format !== "ndjson") {
      throw new TypeError(
        `What is imported as ${this.#format} is text or bytes. Users are imported without a format.`,
      );
    }
    this.#users++;
    return `${JSON.stringify(user)}\n`;
  }
}

/** Streams can be iterated over on some platforms only. */
function iteratorOf(source: Exclude<ImportSource<unknown>, string | Uint8Array | Blob>): Parts {
  if ("getReader" in source) {
    const reader = source.getReader();
    return { next: () => reader.read(), return: () => reader.cancel() };
  }
  return Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]();
}
