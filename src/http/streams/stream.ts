import type { Clock } from "../../domain/clock.ts";
import type { ProblemError } from "../../domain/problem-error.ts";

/** Why the service closed a stream. */
export type CloseReason = "slow" | "idle";

/** A slower caller holds a place that others could use. */
const minimumSpeed = {
  /** Bytes per second of a request body. */
  send: 64,
  /** Bytes per second that a caller reads. */
  read: 4096,
} as const;

/** The place of one streamed request among those that run, and how long its caller has kept it waiting. */
export class Stream {
  readonly #controller = new AbortController();
  readonly #patienceMs: number;
  /** How much longer the caller may send nothing. Bytes restore it. */
  #sendPatienceMs: number;
  /** How much longer the caller may read nothing. Bytes that it reads restore it. */
  #readPatienceMs = Number.POSITIVE_INFINITY;
  #waitingSince: number | undefined;
  /** When the caller is too slow. */
  #deadline = Number.POSITIVE_INFINITY;
  #rejectWait: ((problem: ProblemError) => void) | undefined;
  /** Set while the caller has too much to read. Aborts the response. */
  #abortResponse: (() => void) | undefined;
  #ended = false;

  readonly #clock: Clock;
  readonly #onEnd: (stream: Stream) => void;

  constructor(
    /** The key or, without one, the address. */
    readonly owner: string,
    patienceMs: number,
    clock: Clock,
    onEnd: (stream: Stream) => void,
  ) {
    this.#clock = clock;
    this.#onEnd = onEnd;
    this.#patienceMs = patienceMs;
    this.#sendPatienceMs = patienceMs;
  }

  /** Aborted when the stream ends. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** How long the service has waited for the caller to send or read. 0 if the service itself is working. */
  idleMs(now: number): number {
    return this.#waitingSince === undefined ? 0 : now - this.#waitingSince;
  }

  isTooSlow(now: number): boolean {
    return now > this.#deadline;
  }

  /** Waits for bytes of the request body. Throws the problem if the service closes the stream. */
  async receive<T extends { readonly value?: Uint8Array | undefined }>(bytes: Promise<T>): Promise<T> {
    const begin = this.#clock.running();
    this.#beginWait(begin, this.#sendPatienceMs);
    try {
      const received = await new Promise<T>((resolve, reject) => {
        this.#rejectWait = reject;
        bytes.then(resolve, reject);
      });
      const restoredMs = ((received.value?.length ?? 0) / minimumSpeed.send) * 1000;
      const usedMs = this.#clock.running() - begin;
      this.#sendPatienceMs = Math.min(this.#patienceMs, this.#sendPatienceMs - usedMs + restoredMs);
      return received;
    } finally {
      this.#rejectWait = undefined;
      this.endWait();
    }
  }

  /** Begins to wait until the caller has read some of this many bytes. `abort` is called if the service closes the stream. */
  waitForReader(unreadBytes: number, abort: () => void): void {
    this.#abortResponse = abort;
    const mostMs = this.#patienceMs + (unreadBytes / minimumSpeed.read) * 1000;
    this.#readPatienceMs = Math.min(this.#readPatienceMs, mostMs);
    this.#beginWait(this.#clock.running(), this.#readPatienceMs);
  }

  /** Ends the wait: the caller has read this many bytes. */
  endReaderWait(readBytes: number): void {
    const restoredMs = (readBytes / minimumSpeed.read) * 1000;
    this.#readPatienceMs += restoredMs - this.idleMs(this.#clock.running());
    this.endWait();
  }

  endWait(): void {
    this.#waitingSince = undefined;
    this.#deadline = Number.POSITIVE_INFINITY;
    this.#abortResponse = undefined;
  }

  /** Closes a stream whose caller keeps it waiting: reading the request body fails with the problem, any other response is cut off. */
  close(problem: ProblemError): void {
    const abort = this.#abortResponse;
    if (this.#rejectWait) this.#rejectWait(problem);
    else abort?.();
    // The place is free at once.
    this.end();
  }

  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.endWait();
    this.#controller.abort();
    this.#onEnd(this);
  }

  #beginWait(now: number, patienceMs: number): void {
    this.#waitingSince = now;
    this.#deadline = now + patienceMs;
  }
}
