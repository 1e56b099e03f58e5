import { ApiError, NetworkError, type RequestError } from "../errors.ts";
import type { Problem } from "../service-types.ts";
import type { StreamingCall } from "./streaming-call.ts";
import type { ApiResponse } from "./transport.ts";

/** Longer than any line that the service sends. */
const MAX_LINE_CHARACTERS = 1_048_576;

/** A response that is read as it arrives. A response that is cut off throws. */
export class ResponseStream {
  readonly #call: StreamingCall;
  readonly #response: ApiResponse<Response["body"]>;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;

  /** Sends the call. Throws if the response has another media type. */
  static async open(
    call: StreamingCall,
    mediaType: string,
    body?: Blob | ReadableStream,
  ): Promise<ResponseStream> {
    return new ResponseStream(call, await call.send(body), mediaType);
  }

  private constructor(call: StreamingCall, response: ApiResponse<Response["body"]>, mediaType: string) {
    this.#call = call;
    this.#response = response;
    this.#reader = response.body?.getReader();
    call.signal.addEventListener("abort", () => this.#reader?.cancel().catch(() => undefined));
    if (!response.headers.get("content-type")?.startsWith(mediaType)) throw this.#unexpectedBody(mediaType);
  }

  get requestId(): string | undefined {
    return this.#response.headers.get("x-request-id") ?? undefined;
  }

  /** The next bytes; undefined at the end. */
  async read(): Promise<Uint8Array | undefined> {
    const { signal } = this.#call;
    const part = await this.#call.withTimeout(Promise.resolve(this.#reader?.read())).catch((cause) => {
      signal.throwIfAborted();
      throw this.cutOff(cause);
    });
    signal.throwIfAborted();
    return part?.value;
  }

  /** The value of each line, in batches. Throws if a value does not pass the check. */
  async *lines<Item>(
    check: (value: unknown) => value is Item,
    expected: string,
  ): AsyncGenerator<Item[], void> {
    const decoder = new TextDecoder("utf-8", { fatal: true });
    const parse = (lines: string[]) =>
      lines.filter(Boolean).map((line) => {
        const value: unknown = JSON.parse(line);
        if (check(value)) return value;
        throw new TypeError(`not ${expected}: ${line.slice(0, 120)}`);
      });
    let rest = "";
    for (let bytes = await this.read(); bytes; bytes = await this.read()) {
      let items: Item[];
      try {
        const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
        rest = lines.pop() ?? "";
        items = parse(lines);
      } catch (cause) {
        throw this.#unexpectedBody(expected, cause);
      }
      if (rest.length > MAX_LINE_CHARACTERS) throw this.#unexpectedBody(expected);
      yield items;
    }
    if (rest) throw this.cutOff("the last line is incomplete");
  }

  /** The error for an incomplete response. */
  cutOff(cause: unknown): NetworkError {
    return this.#withLastLine(
      new NetworkError(this.#response.attempt, `the response was cut off${this.#call.progress}`, cause),
    );
  }

  /** The error for an import or a change that the service ended with a problem. */
  ended(problem: Problem, what: string): ApiError {
    const { attempt, headers } = this.#response;
    const reason = `${problem.detail} The ${what} ended${this.#call.progress}`;
    return this.#withLastLine(new ApiError(attempt, { status: problem.status, headers }, reason, problem));
  }

  #withLastLine<E extends RequestError>(error: E): E {
    return Object.assign(error, { lastLine: this.#call.lastLine });
  }

  #unexpectedBody(expected: string, cause?: unknown): ApiError {
    const message = `the response is not ${expected}. Is this a Roster service?`;
    return new ApiError(this.#response.attempt, this.#response, message, undefined, { cause });
  }
}
