import type { Log } from "../log.ts";

/** A span in the JSON encoding of OTLP. */
export interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly traceState?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly OtlpAttribute[];
  readonly status: { readonly code?: number; readonly message?: string };
}

export interface OtlpAttribute {
  readonly key: string;
  readonly value: { readonly stringValue: string } | { readonly intValue: string };
}

export interface ExporterOptions {
  /** The whole URL, such as `http://localhost:4318/v1/traces`. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly resource: readonly OtlpAttribute[];
  readonly version: string;
  readonly log: Log;
}

const MAX_QUEUE = 2048;
const MAX_BATCH = 512;
const INTERVAL_MS = 5000;
const LOG_INTERVAL_MS = 60_000;
/** The statuses after which the same spans may be sent again. */
const RETRYABLE = [429, 502, 503, 504];

/**
 * Sends spans to an OTLP collector in batches, in the background. Memory is bounded: when the queue is full, new spans are
 * dropped. A collector that fails gets the same spans again later; requests never wait for it.
 */
export class OtlpExporter {
  readonly #options: ExporterOptions;
  #queue: OtlpSpan[] = [];
  #dropped = 0;
  #sending: Promise<void> | undefined;
  #loggedAt = Number.NEGATIVE_INFINITY;
  readonly #timer: Timer;

  constructor(options: ExporterOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#sendAll(), INTERVAL_MS);
    this.#timer.unref();
  }

  add(span: OtlpSpan): void {
    if (this.#queue.length >= MAX_QUEUE) {
      this.#dropped++;
      return;
    }
    this.#queue.push(span);
    if (this.#queue.length === MAX_BATCH) void this.#sendAll();
  }

  /** Sends the remaining spans. Gives up after the time for one request. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    const sendRemaining = async () => {
      await this.#sending;
      await this.#sendAll();
    };
    await Promise.race([sendRemaining(), Bun.sleep(this.#options.timeoutMs)]);
  }

  #sendAll(): Promise<void> {
    this.#sending ??= this.#sendBatches().finally(() => {
      this.#sending = undefined;
    });
    return this.#sending;
  }

  /** Sends batches until the queue is empty or the collector fails. */
  async #sendBatches(): Promise<void> {
    while (this.#queue.length > 0) {
      const batch = this.#queue.slice(0, MAX_BATCH);
      const outcome = await this.#send(batch);
      if (outcome === "retry") return;
      this.#queue.splice(0, batch.length);
      if (outcome === "rejected") this.#dropped += batch.length;
    }
  }

  async #send(spans: readonly OtlpSpan[]): Promise<"accepted" | "rejected" | "retry"> {
    const { url, headers, timeoutMs, resource, version } = this.#options;
    const scope = { name: "roster", version };
    const body = { resourceSpans: [{ resource: { attributes: resource }, scopeSpans: [{ scope, spans }] }] };
    try {
      const response = await fetch(url, {
        method: "POST",
        headers: { ...headers, "content-type": "application/json" },
        body: JSON.stringify(body),
        redirect: "error",
        signal: AbortSignal.timeout(timeoutMs),
      });
      await response.body?.cancel();
      if (response.ok) return "accepted";
      this.#report(`The collector responds with ${response.status}.`);
      return RETRYABLE.includes(response.status) ? "retry" : "rejected";
    } catch {
      this.#report("The collector does not respond.");
      return "retry";
    }
  }

  /** Logs at most once per minute. The URL of a collector may hold a secret, and is not logged. */
  #report(cause: string): void {
    if (performance.now() - this.#loggedAt < LOG_INTERVAL_MS) return;
    this.#loggedAt = performance.now();
    this.#options.log.write("warn", "cannot export traces", { cause, dropped: this.#dropped });
  }
}
