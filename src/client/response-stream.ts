import { ApiError, NetworkError, type RequestError } from "./errors.ts";
import type { StreamingCall } from "./streaming-call.ts";
import type { ApiResponse } from "./transport.ts";
import type { Problem } from "./types.ts";

/** No line that the service sends is nearly as long: one that has no end by then never will. */
const MAX_LINE_CHARACTERS = 1_048_576;

/** An answer that is read while it comes. That nothing more comes is not taken for its end unless it is. */
export class ResponseStream {
  readonly #stream: StreamingCall;
  readonly #answer: ApiResponse<Response["body"]>;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;

  /** Fails if the answer is of another type than this. */
  constructor(stream: StreamingCall, answer: ApiResponse<Response["body"]>, type: string) {
    this.#stream = stream;
    this.#answer = answer;
    this.#reader = answer.body?.getReader();
    stream.signal.addEventListener("abort", () => this.#reader?.cancel().catch(() => undefined));
    if (!answer.headers.get("content-type")?.startsWith(type)) throw this.#misfit(type);
  }

  /** What comes next; undefined at the end. */
  async read(): Promise<Uint8Array | undefined> {
    const { signal } = this.#stream;
    const part = await this.#stream.withTimeout(Promise.resolve(this.#reader?.read())).catch((cause) => {
      signal.throwIfAborted();
      throw this.brokenOff(cause);
    });
    signal.throwIfAborted();
    return part?.value;
  }

  /** What each line holds, some lines at a time. Fails where one holds something else than it has to. */
  async *lines<Item>(fits: (value: unknown) => value is Item, what: string): AsyncGenerator<Item[], void> {
    const decoder = new TextDecoder("utf-8", { fatal: true });
    const items = (lines: string[]) =>
      lines.filter(Boolean).map((line) => {
        const value: unknown = JSON.parse(line);
        if (fits(value)) return value;
        throw new TypeError(`not ${what}: ${line.slice(0, 120)}`);
      });
    let rest = "";
    for (let bytes = await this.read(); bytes; bytes = await this.read()) {
      let whole: Item[];
      try {
        const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
        rest = lines.pop() ?? "";
        whole = items(lines);
      } catch (cause) {
        throw this.#misfit(what, cause);
      }
      if (rest.length > MAX_LINE_CHARACTERS) throw this.#misfit(what);
      yield whole;
    }
    if (rest) throw this.brokenOff("its last line is not whole");
  }

  /** The answer is not whole. */
  brokenOff(cause: unknown): NetworkError {
    return this.#placed(
      new NetworkError(this.#answer.attempt, `the answer broke off${this.#stream.after}`, cause),
    );
  }

  /** The service would not go on. */
  refused(problem: Problem): ApiError {
    const { attempt, headers } = this.#answer;
    const said = `${problem.detail} The import ended${this.#stream.after}`;
    return this.#placed(new ApiError(attempt, { status: problem.status, headers }, said, problem));
  }

  #placed<E extends RequestError>(error: E): E {
    return Object.assign(error, { lastLine: this.#stream.lastLine });
  }

  #misfit(what: string, cause?: unknown): ApiError {
    const said = `the answer is not ${what}: is this a Roster service?`;
    return new ApiError(this.#answer.attempt, this.#answer, said, undefined, { cause });
  }
}
