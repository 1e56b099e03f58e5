import { TimeoutError } from "./errors.ts";
import { ResponseStream } from "./response-stream.ts";
import type { ServiceTransport } from "./service-transport.ts";
import type { Call } from "./transport.ts";
import type { StreamOptions } from "./types.ts";

/** The longest that a timer can wait: 24 days. */
const MAX_TIMER_MS = 2 ** 31 - 1;
const ABANDONED = new DOMException("Nobody wants the rest.", "AbortError");

/**
 * A call that goes on for as long as there are users: until it is stopped, or the service has kept us waiting for too long.
 * Whoever makes one stops it in the end, whatever happened.
 */
export class StreamingCall {
  /** Of an import, the last line whose outcome came. */
  lastLine: number | undefined;
  readonly #session: ServiceTransport;
  readonly #call: Call;
  readonly #patience: number;
  readonly #stopper = new AbortController();
  #awaited = false;
  #owing = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    session: ServiceTransport,
    call: Call,
    { signal, timeout = session.options.timeout }: StreamOptions,
  ) {
    this.#session = session;
    this.#call = call;
    this.#patience = Math.min(timeout, MAX_TIMER_MS);
    const stop = () => this.stop(signal?.reason);
    signal?.addEventListener("abort", stop);
    this.signal.addEventListener("abort", () => signal?.removeEventListener("abort", stop));
    if (signal?.aborted) stop();
  }

  /** Aborted when it is over; the reason is what to throw, unless it was simply left. */
  get signal(): AbortSignal {
    return this.#stopper.signal;
  }

  get isAbandoned(): boolean {
    return this.signal.reason === ABANDONED;
  }

  stop(reason: unknown = ABANDONED): void {
    this.#stopper.abort(reason);
  }

  /** Does some of the work. If it fails the stream is over, and `onError` is told. */
  reportErrors<T>(work: () => Promise<T>): Promise<T> {
    return this.#session.reportErrors(() =>
      work().catch((error) => {
        this.stop();
        throw error;
      }),
    );
  }

  /**
   * The answer of this type, when it begins. Until then the call is tried again, unless its body is a stream, which can
   * be sent a single time.
   */
  async open(type: string, body?: Blob | ReadableStream): Promise<ResponseStream> {
    const sendOnce = body instanceof ReadableStream;
    // A browser hears nothing of an answer before it has sent everything, however long that takes.
    const deaf = body !== undefined && this.#session.inBrowser;
    const timeout = sendOnce || deaf ? MAX_TIMER_MS : this.#patience;
    const call = { ...this.#call, body, sendOnce, timeout, tryTimeout: MAX_TIMER_MS, signal: this.signal };
    const answer = this.#session.send(call, ({ body }) => body);
    // The service may answer only when it has had a lot of the source, and how long that takes is the source's affair.
    return new ResponseStream(this, await (sendOnce ? this.withTimeout(answer) : answer), type);
  }

  /** The same as the promise, which is the service's to keep: it may not be silent for too long meanwhile. */
  async withTimeout<T>(promise: Promise<T>): Promise<T> {
    this.#awaited = true;
    this.#watch();
    try {
      return await promise;
    } finally {
      this.#awaited = false;
      this.#watch();
    }
  }

  /** Whether the service waits for the source. Meanwhile its silence means nothing. */
  set waitsForSource(owing: boolean) {
    this.#owing = owing;
    this.#watch();
  }

  #watch(): void {
    clearTimeout(this.#timer);
    if (this.#awaited && !this.#owing) this.#timer = setTimeout(() => this.#giveUp(), this.#patience);
  }

  #giveUp(): void {
    const error = new TimeoutError(
      { ...this.#call, tries: 1 },
      `nothing came for ${this.#patience} ms${this.after}`,
    );
    this.stop(Object.assign(error, { lastLine: this.lastLine }));
  }

  /** For messages: how far it had come. */
  get after(): string {
    return this.lastLine === undefined ? "" : `, after the outcome of line ${this.lastLine}`;
  }
}
