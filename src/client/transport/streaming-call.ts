import type { StreamOptions } from "../bulk-types.ts";
import { TimeoutError } from "../errors.ts";
import type { ServiceTransport } from "./service-transport.ts";
import { MAX_TIMER_MS, startTimeout } from "./timer.ts";
import type { ApiResponse, Call } from "./transport.ts";

const ABANDONED = new DOMException("The rest of the stream is not needed.", "AbortError");

/**
 * A call of any duration: it ends when it is stopped, or when the service sends nothing for longer than the timeout.
 * The code that creates it always stops it in the end.
 */
export class StreamingCall {
  /** For an import: the last line whose result arrived. */
  lastLine: number | undefined;
  readonly #transport: ServiceTransport;
  readonly #call: Call;
  readonly #timeoutMs: number;
  readonly #controller = new AbortController();
  #waitsForService = false;
  #waitsForSource = false;
  #clearTimer: () => void = () => undefined;

  constructor(
    transport: ServiceTransport,
    call: Call,
    { signal, timeout = transport.options.timeout }: StreamOptions,
  ) {
    this.#transport = transport;
    this.#call = call;
    this.#timeoutMs = Math.min(timeout, MAX_TIMER_MS);
    const stop = () => this.stop(signal?.reason);
    signal?.addEventListener("abort", stop);
    this.signal.addEventListener("abort", () => signal?.removeEventListener("abort", stop));
    if (signal?.aborted) stop();
  }

  /** Aborted when the call ends. Throw its reason, unless the call was abandoned. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Whether the caller stopped reading. */
  get isAbandoned(): boolean {
    return this.signal.reason === ABANDONED;
  }

  stop(reason: unknown = ABANDONED): void {
    this.#controller.abort(reason);
  }

  /** Runs part of the call. A failure stops the call and goes to `onError`. */
  reportErrors<T>(work: () => Promise<T>): Promise<T> {
    return this.#transport.reportErrors(() =>
      work().catch((error) => {
        this.stop();
        throw error;
      }),
    );
  }

  /** Resolves when the response begins. Retries until then, unless the body is a stream, which can be sent only once. */
  async send(body?: Blob | ReadableStream): Promise<ApiResponse<Response["body"]>> {
    const sendOnce = body instanceof ReadableStream;
    // Browsers report a response only after they have sent the whole request body.
    const uploadsFirst = body !== undefined && this.#transport.inBrowser;
    const timeout = sendOnce || uploadsFirst ? MAX_TIMER_MS : this.#timeoutMs;
    const call = {
      ...this.#call,
      body: body ?? this.#call.body,
      sendOnce,
      timeout,
      tryTimeout: MAX_TIMER_MS,
      signal: this.signal,
    };
    const response = this.#transport.send(call, ({ body }) => body);
    // The service may respond only after it has read much of the source. Time spent waiting for the source does not count.
    return await (sendOnce ? this.withTimeout(response) : response);
  }

  /** Waits for the service. Stops the call if that takes longer than the timeout. */
  async withTimeout<T>(promise: Promise<T>): Promise<T> {
    this.#waitsForService = true;
    this.#restartTimer();
    try {
      return await promise;
    } finally {
      this.#waitsForService = false;
      this.#restartTimer();
    }
  }

  /** Whether the service waits for the source. The timeout does not run in that time. */
  set waitsForSource(waits: boolean) {
    this.#waitsForSource = waits;
    this.#restartTimer();
  }

  #restartTimer(): void {
    this.#clearTimer();
    if (this.#waitsForService && !this.#waitsForSource) {
      this.#clearTimer = startTimeout(() => this.#timeOut(), this.#timeoutMs);
    }
  }

  #timeOut(): void {
    const error = new TimeoutError(
      { ...this.#call, tries: 1 },
      `received nothing for ${this.#timeoutMs} ms${this.progress}`,
    );
    this.stop(Object.assign(error, { lastLine: this.lastLine }));
  }

  /** For error messages: how far an import got. */
  get progress(): string {
    return this.lastLine === undefined ? "" : `, after the result of line ${this.lastLine}`;
  }
}
