import { availableParallelism } from "node:os";
import { ProblemError } from "../../domain/problem-error.ts";
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
  /** How long a list may take in all before its caller is told to try again. */
  readonly waitMs: number;
  /** How many threads there may be; only tests choose it. */
  readonly threads?: number;
}

const MOST_THREADS = 4;
/** A burst of quick lists that is answered within a second; of slow ones more than get their turn in time. */
const MOST_WAITING = 1000;
/**
 * A thread finds the next question at hand when it has answered one; those that wait here can still be withdrawn. It
 * has more at hand while each is answered within this time: the way there and back is then most of what they cost.
 */
const UNDER_WAY = { least: 2, most: 32, ms: 5 } as const;

/**
 * A few threads that read, and one queue before them all. However much is asked, an answer comes within the wait or
 * not at all, and a list that waits in vain costs no more than its place.
 */
export class ReaderPool {
  readonly #most: number;
  #threads: ReaderThread[] = [];
  readonly #waiting = new Set<QueuedRequest>();
  #underWay: number = UNDER_WAY.least;
  #closed = false;

  constructor(readonly options: ReaderPoolOptions) {
    this.#most = options.threads ?? Math.max(1, Math.min(MOST_THREADS, availableParallelism() - 1));
  }

  /**
   * Whoever asks several questions for one list has waited since the first. Fails with `unavailable` when too many
   * are waiting, or when the wait is over.
   */
  request<R extends ReaderRequest>(
    request: R,
    since?: number,
  ): Promise<Extract<ReaderResponse, { kind: R["kind"] }>>;
  async request(request: ReaderRequest, since = performance.now()): Promise<ReaderResponse> {
    if (this.#closed) throw stopping();
    if (this.#waiting.size >= MOST_WAITING) throw tooMany();
    const { promise, resolve, reject } = Promise.withResolvers<ReaderResponse>();
    const pending = { request, resolve, reject };
    // Half of the time that is left is for the queue, the other half for the answer: if everybody could wait to the last
    // moment, under a flood everybody would, and all would be answered too late.
    const half = Math.max(0, since + this.options.waitMs - performance.now()) / 2;
    let timer = setTimeout(() => {
      if (this.#waiting.delete(pending)) reject(tooMany());
      else timer = setTimeout(() => reject(tooLate()), half);
    }, half);
    this.#waiting.add(pending);
    this.#send();
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Refuses what is waiting, and finishes what is under way. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const { reject } of this.#waiting) reject(stopping());
    this.#waiting.clear();
    await Promise.all(this.#threads.map((thread) => thread.end()));
  }

  #send(): void {
    for (const pending of this.#waiting) {
      if (!this.#hasRoom()) return;
      this.#waiting.delete(pending);
      this.#forward(pending);
    }
  }

  async #forward({ request, resolve, reject }: QueuedRequest): Promise<void> {
    const start = performance.now();
    try {
      resolve(await this.#idlestThread().request(request));
    } catch (error) {
      reject(error);
    }
    const quick = performance.now() - start < UNDER_WAY.ms;
    this.#underWay = quick
      ? Math.min(this.#underWay + 1, UNDER_WAY.most)
      : Math.max(this.#underWay / 2, UNDER_WAY.least);
    this.#send();
  }

  #hasRoom(): boolean {
    const roomy = ({ ended, pending }: ReaderThread) => ended !== undefined || pending < this.#underWay;
    return this.#threads.length < this.#most || this.#threads.some(roomy);
  }

  /** Threads are started when they are first needed: most services need none for a while. */
  #idlestThread(): ReaderThread {
    // One that has ended has nothing to do, and would be asked for ever.
    this.#threads = this.#threads.filter(({ ended }) => !ended).sort((a, b) => a.pending - b.pending);
    const [idlest] = this.#threads;
    if (idlest && (idlest.pending === 0 || this.#threads.length >= this.#most)) return idlest;
    const thread = this.options.start();
    this.#threads.push(thread);
    return thread;
  }
}

function tooMany(): ProblemError {
  return new ProblemError("unavailable", "Too many lists are waiting: try again shortly.");
}

function tooLate(): ProblemError {
  return new ProblemError("unavailable", "The list was not found in time: try again shortly.");
}

function stopping(): ProblemError {
  return new ProblemError("unavailable", "The service is stopping.");
}
