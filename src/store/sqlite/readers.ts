import { availableParallelism } from "node:os";
import type { Page } from "../../domain/listing.ts";
import { Refusal } from "../../domain/refusal.ts";
import type { CountRound } from "../lists/count.ts";
import type { ReaderAsk } from "./reader-thread.ts";
import { Thread, type ThreadSetup } from "./thread.ts";

type ReaderAnswer = Page | CountRound;
type ReaderThread = Thread<ReaderAsk, ReaderAnswer>;

interface Question {
  readonly ask: ReaderAsk;
  readonly resolve: (answer: ReaderAnswer) => void;
  readonly reject: (reason: unknown) => void;
}

const MOST_THREADS = 4;
/**
 * A thread has its next question at hand when it has answered one; what waits here instead can still be withdrawn.
 * More are sent while it answers them all within this time: then the way there and back is most of what they cost.
 */
const UNDER_WAY = { least: 2, most: 16, ms: 5 } as const;
/** A burst of quick lists that is done in a second; of slow ones, more than have their turn in time. */
const MOST_WAITING = 1000;

/**
 * A few threads that read, and one queue for all of them: whoever is free takes what has waited longest. However much
 * is asked, an answer comes within the wait or not at all, and what can no longer be answered in time costs nothing.
 */
export class Readers {
  readonly #most = Math.max(1, Math.min(MOST_THREADS, availableParallelism() - 1));
  #threads: ReaderThread[] = [];
  #underWay: number = UNDER_WAY.least;
  readonly #waiting = new Set<Question>();
  #closed = false;

  constructor(readonly setup: ThreadSetup) {}

  /** Fails with `unavailable` when too many are waiting, or when the wait is over, which began at `since`. */
  async ask(ask: ReaderAsk, since: number): Promise<ReaderAnswer> {
    if (this.#closed) throw unavailable("The service is stopping.");
    if (this.#waiting.size >= MOST_WAITING) throw tooMany();
    const { promise, ...settle } = Promise.withResolvers<ReaderAnswer>();
    const question = { ask, ...settle };
    // Nobody waits for longer than half of the time that is left: whatever is sent has the other half to be answered in.
    // Were all sent at the last moment, all would be answered too late.
    const half = Math.max(0, since + this.setup.waitMs - performance.now()) / 2;
    let timer = setTimeout(() => {
      if (this.#waiting.delete(question)) question.reject(tooMany());
      else timer = setTimeout(() => question.reject(tooLate()), half);
    }, half);
    this.#waiting.add(question);
    this.#send();
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Refuses what is waiting, finishes what is under way. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const { reject } of this.#waiting) reject(unavailable("The service is stopping."));
    this.#waiting.clear();
    await Promise.all(this.#threads.map((thread) => thread.end()));
  }

  #send(): void {
    for (const question of this.#waiting) {
      const thread = this.#freeThread();
      if (!thread) return;
      this.#waiting.delete(question);
      this.#answer(thread, question);
    }
  }

  async #answer(thread: ReaderThread, { ask, resolve, reject }: Question): Promise<void> {
    const start = performance.now();
    try {
      resolve(await thread.ask(ask));
    } catch (error) {
      reject(error);
    }
    const quick = performance.now() - start < UNDER_WAY.ms;
    this.#underWay = quick
      ? Math.min(this.#underWay + 1, UNDER_WAY.most)
      : Math.max(this.#underWay / 2, UNDER_WAY.least);
    this.#send();
  }

  /** Threads are started when they are first needed: most services need none for a while. */
  #freeThread(): ReaderThread | undefined {
    // One that has ended has nothing to do, and would be asked for ever.
    this.#threads = this.#threads.filter(({ ended }) => !ended).sort((a, b) => a.load - b.load);
    const [idlest] = this.#threads;
    if (idlest && (idlest.load === 0 || this.#threads.length >= this.#most)) {
      return idlest.load < this.#underWay ? idlest : undefined;
    }
    const thread: ReaderThread = new Thread("reader-thread", this.setup);
    this.#threads.push(thread);
    return thread;
  }
}

function tooMany(): Refusal {
  return unavailable("Too many lists are waiting: try again shortly.");
}

function tooLate(): Refusal {
  return unavailable("The list was not found in time: try again shortly.");
}

function unavailable(detail: string): Refusal {
  return new Refusal("unavailable", detail);
}
