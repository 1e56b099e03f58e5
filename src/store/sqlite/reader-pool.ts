import { availableParallelism } from "node:os";
import { type Clock, systemClock } from "../../domain/clock.ts";
import { ProblemError } from "../../domain/problem-error.ts";
import { RunningTimeout } from "../../domain/running-timeout.ts";
import { FairQueue } from "../../domain/scheduling/fair-queue.ts";
import type { ReaderRequest, ReaderResponse, ReaderSetup } from "./reader-thread.ts";
import type { Thread } from "./thread.ts";

/** The methods of `Thread` that `ReaderPool` needs. */
export interface ReaderThread
  extends Pick<Thread<ReaderSetup, ReaderRequest, ReaderResponse>, "end" | "ended" | "pending"> {
  request(request: ReaderRequest): Promise<ReaderResponse>;
}

interface QueuedRequest {
  readonly request: ReaderRequest;
  readonly resolve: (response: ReaderResponse) => void;
  readonly reject: (reason: unknown) => void;
}

interface ReaderPoolOptions {
  readonly start: () => ReaderThread;
  /** The longest time for a list, including its wait in the queue. */
  readonly waitMs: number;
  /** The maximum number of threads. Only tests set it. */
  readonly threads?: number;
  /** Default: the clock of the machine. */
  readonly clock?: Clock | undefined;
}

const MAX_THREADS = 4;
/** Enough for a burst of fast lists, which takes less than a second. Slow lists time out before the queue is full. */
const MAX_QUEUED = 1000;
/**
 * Pending requests per thread. With two, a thread never waits for its next request; requests in the queue can still time
 * out. The number grows while each takes less than `fastMs`: messages between threads are then most of the cost.
 */
const PENDING_PER_THREAD = { min: 2, max: 32, fastMs: 5 } as const;

/**
 * Reader threads with one shared queue, in which owners take turns. A request succeeds or fails within `waitMs`; in the queue it
 * costs no work.
 */
export class ReaderPool {
  readonly #options: ReaderPoolOptions;
  readonly #maxThreads: number;
  readonly #clock: Clock;
  #threads: ReaderThread[] = [];
  readonly #queue = new FairQueue<QueuedRequest>();
  #pendingPerThread: number = PENDING_PER_THREAD.min;
  #closed = false;

  constructor(options: ReaderPoolOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#maxThreads = options.threads ?? Math.max(1, Math.min(MAX_THREADS, availableParallelism() - 1));
  }

  /**
   * Runs a request on a thread. `since` is when its list began: several requests for one list share `waitMs`. `owner` is the key or
   * the address that it is for; requests without one are those of one owner. Fails with `unavailable` if the queue is full or the
   * time is over.
   */
  request<R extends ReaderRequest>(
    request: R,
    since?: number,
    owner?: string,
  ): Promise<Extract<ReaderResponse, { kind: R["kind"] }>>;
  async request(request: ReaderRequest, since = this.#clock.running(), owner = ""): Promise<ReaderResponse> {
    if (this.#closed) throw stoppingError();
    if (this.#queue.size >= MAX_QUEUED) this.#makeRoom(owner);
    const { promise, resolve, reject } = Promise.withResolvers<ReaderResponse>();
    const queued = { request, resolve, reject };
    // Half of the remaining time is for the queue, half for the work. With all of it for the queue, an overloaded pool
    // would start every list too late.
    const half = Math.max(0, since + this.#options.waitMs - this.#clock.running()) / 2;
    let timeout = new RunningTimeout(
      () => {
        if (this.#queue.delete(owner, queued)) reject(queueFullError());
        else timeout = new RunningTimeout(() => reject(timeoutError()), half, this.#clock);
      },
      half,
      this.#clock,
    );
    this.#queue.add(owner, queued);
    this.#sendQueued();
    try {
      return await promise;
    } finally {
      timeout.clear();
    }
  }

  /** Rejects queued requests and finishes pending ones. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const { reject } of this.#queue.takeAll()) reject(stoppingError());
    await Promise.all(this.#threads.map((thread) => thread.end()));
  }

  /** Refuses the last request of the owner that has most in the queue; throws `unavailable` if that is this owner. */
  #makeRoom(owner: string): void {
    const displaced = this.#queue.displace(owner);
    if (!displaced) throw queueFullError();
    displaced.reject(queueFullError());
  }

  #sendQueued(): void {
    while (this.#hasRoom()) {
      const queued = this.#queue.take();
      if (!queued) return;
      this.#forward(queued);
    }
  }

  async #forward({ request, resolve, reject }: QueuedRequest): Promise<void> {
    const start = this.#clock.monotonic();
    try {
      resolve(await this.#idlestThread().request(request));
    } catch (error) {
      reject(error);
    }
    const isFast = this.#clock.monotonic() - start < PENDING_PER_THREAD.fastMs;
    this.#pendingPerThread = isFast
      ? Math.min(this.#pendingPerThread + 1, PENDING_PER_THREAD.max)
      : Math.max(this.#pendingPerThread / 2, PENDING_PER_THREAD.min);
    this.#sendQueued();
  }

  #hasRoom(): boolean {
    const hasRoom = ({ ended, pending }: ReaderThread) =>
      ended !== undefined || pending < this.#pendingPerThread;
    return this.#threads.length < this.#maxThreads || this.#threads.some(hasRoom);
  }

  /** Starts a thread only when needed. */
  #idlestThread(): ReaderThread {
    // A thread that has ended has no pending requests: without the filter it would always be the idlest.
    this.#threads = this.#threads.filter(({ ended }) => !ended).sort((a, b) => a.pending - b.pending);
    const [idlest] = this.#threads;
    if (idlest && (idlest.pending === 0 || this.#threads.length >= this.#maxThreads)) return idlest;
    const thread = this.#options.start();
    this.#threads.push(thread);
    return thread;
  }
}

function queueFullError(): ProblemError {
  return new ProblemError("unavailable", "Too many lists are waiting. Try again shortly.");
}

function timeoutError(): ProblemError {
  return new ProblemError("unavailable", "The list took too long. Try again shortly.");
}

function stoppingError(): ProblemError {
  return new ProblemError("unavailable", "The service is stopping.");
}
