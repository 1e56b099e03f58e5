import { type ProblemData, ProblemError } from "../../domain/problem-error.ts";
import { isBusy } from "./database.ts";

/** What a thread is told when it starts. */
export interface ThreadSetup {
  readonly path: string;
  readonly waitMs: number;
  readonly recordBytes: number;
  readonly maxCandidates: number | undefined;
}

type Question<Ask> =
  | { readonly setup: ThreadSetup }
  | { readonly ticket: number; readonly ask: Ask }
  | { readonly ticket: number; readonly close: true };
type Reply<Answer> = { readonly ticket: number } & (
  | { readonly answer: Answer }
  | { readonly problem: ProblemData }
  | { readonly failure: string }
);

/** What those learn who had asked one that is no more. */
const ended = {
  "writer-thread": "The thread that commits has ended: a write may have been done or not.",
  "reader-thread": "The thread that looked for the list has ended: try again shortly.",
  "copy-thread": "The thread that copied the file has ended.",
} as const;

/** A thread with a connection of its own: what it does never holds the event loop. */
export class Thread<Ask, Answer> {
  readonly #worker: Worker;
  #ended: Error | undefined;
  readonly #waiting = new Map<
    number,
    { resolve: (answer: Answer) => void; reject: (reason: unknown) => void }
  >();
  #ticket = 0;

  /** `name` is that of the file beside this one which calls `answerQuestions`. */
  constructor(name: keyof typeof ended, setup: ThreadSetup) {
    // Bundles have the same files beside each other (scripts/build.ts), and in the executable this one has no ending.
    const ending = import.meta.path.endsWith(".ts") ? "ts" : "js";
    this.#worker = new Worker(new URL(`./${name}.${ending}`, import.meta.url));
    this.#worker.onmessage = ({ data }: MessageEvent<Reply<Answer>>) => this.#settle(data);
    const fail = (message: string) => this.#fail(ended[name], new Error(message));
    this.#worker.onerror = ({ message }) => fail(message);
    this.#worker.addEventListener("close", () => fail("It ended without an error."));
    this.#worker.postMessage({ setup } satisfies Question<Ask>);
  }

  /** Why it can be asked no more, if so. */
  get ended(): Error | undefined {
    return this.#ended;
  }

  /** How many questions are waiting for their answer. */
  get load(): number {
    return this.#waiting.size;
  }

  ask(ask: Ask): Promise<Answer> {
    return this.#ended ? Promise.reject(this.#ended) : this.#send({ ask });
  }

  /** Lets it finish what it was asked and close its connection, then ends it. */
  async end(): Promise<void> {
    if (!this.#ended) await this.#send({ close: true });
    this.#worker.terminate();
  }

  #send(question: { ask: Ask } | { close: true }): Promise<Answer> {
    const ticket = ++this.#ticket;
    return new Promise((resolve, reject) => {
      this.#waiting.set(ticket, { resolve, reject });
      this.#worker.postMessage({ ticket, ...question } satisfies Question<Ask>);
    });
  }

  #settle(reply: Reply<Answer>): void {
    const waiting = this.#waiting.get(reply.ticket);
    this.#waiting.delete(reply.ticket);
    if (!waiting) return;
    if ("answer" in reply) waiting.resolve(reply.answer);
    else waiting.reject("problem" in reply ? ProblemError.of(reply.problem) : new Error(reply.failure));
  }

  #fail(detail: string, cause: Error): void {
    this.#ended ??= new ProblemError("unavailable", detail, undefined, { cause });
    for (const { reject } of this.#waiting.values()) reject(this.#ended);
    this.#waiting.clear();
  }
}

/** What a thread does with its connection. */
interface Answering<Ask, Answer> {
  answer(ask: Ask): Answer;
  close(): void;
}

/** The other end: opens what it needs from the setup, then answers one question after the other. */
export function answerQuestions<Ask, Answer>(open: (setup: ThreadSetup) => Answering<Ask, Answer>): void {
  let answering: Answering<Ask, Answer> | undefined;
  self.onmessage = ({ data }: MessageEvent<Question<Ask>>) => {
    if ("setup" in data) {
      answering = open(data.setup);
      return;
    }
    try {
      if (!answering) throw new Error("A thread was asked before it was set up.");
      const answer = "ask" in data ? answering.answer(data.ask) : answering.close();
      postMessage({ ticket: data.ticket, answer });
    } catch (error) {
      postMessage({ ticket: data.ticket, ...failureOf(error) });
    }
  };
}

/** What a caller can wait out is a problem; anything else is a fault of ours or of the machine. */
function failureOf(error: unknown): { problem: ProblemData } | { failure: string } {
  if (error instanceof ProblemError) return { problem: error.data };
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (isBusy(error)) {
    return {
      problem: new ProblemError("unavailable", "The database is busy with another program's work.").data,
    };
  }
  if (/^SQLITE_(FULL|IOERR)/.test(code)) {
    return { problem: new ProblemError("unavailable", "The database cannot write to its disk.").data };
  }
  return { failure: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}
