import { bulkLimits } from "../contract/bulk/bulk.ts";
import type { Clock } from "./clock.ts";
import type { TokenBucket } from "./token-bucket.ts";

/** A waiting stream sends a few bytes this often, so that its caller and proxies do not give up. */
const KEEP_ALIVE_MS = 5000;

interface MeterOptions {
  /** Rows that count as one request. */
  readonly rowsPerRequest: number;
  readonly bucket: TokenBucket | undefined;
  /** Counts one request towards the monthly quota. Throws `quota-exceeded`. */
  readonly countRequest: () => void;
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

/** Counts the work of an import or export towards the limits of its caller. */
export class Meter {
  readonly #options: MeterOptions;
  /** The request itself pays for the first unit. */
  #paid = 1;
  #rows = 0;
  #bytes = 0;

  constructor(options: MeterOptions) {
    this.#options = options;
  }

  /**
   * Counts these rows, and the bytes that they write. Ends at once if they need no further request from the rate limit, or one is
   * available. Otherwise waits, and yields from time to time. Ends early when the signal aborts. Throws `quota-exceeded`.
   */
  async *count(rows: number, bytes = 0): AsyncGenerator<void, void> {
    const { rowsPerRequest, countRequest, signal } = this.#options;
    this.#rows += rows;
    this.#bytes += bytes;
    const due = Math.max(this.#rows / rowsPerRequest, this.#bytes / bulkLimits.bytesPerRequest);
    for (; this.#paid < due; this.#paid++) {
      yield* this.#waitForToken();
      if (signal.aborted) return;
      countRequest();
    }
  }

  async *#waitForToken(): AsyncGenerator<void, void> {
    const { bucket, signal, clock } = this.#options;
    if (!bucket) return;
    let quietUntil = clock.monotonic() + KEEP_ALIVE_MS;
    while (!signal.aborted && !bucket.take(clock.monotonic())) {
      await clock.sleep(Math.max(1, Math.min(bucket.retryAfterMs, quietUntil - clock.monotonic())), signal);
      if (clock.monotonic() < quietUntil) continue;
      yield;
      quietUntil = clock.monotonic() + KEEP_ALIVE_MS;
    }
  }
}
