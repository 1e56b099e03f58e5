import { DatabaseUnavailable } from "../../domain/database-unavailable.ts";
import { errorText } from "../../domain/error-text.ts";
import { type ProblemData, ProblemError } from "../../domain/problem-error.ts";
import { isBusy } from "./database.ts";
import { FileProblem, type FileProblemData, toFileProblem, toUnavailable } from "./health/file-problem.ts";

/** Settings that every thread gets when it starts, as plain data. */
export interface ThreadSetup {
  readonly path: string;
  readonly waitMs: number;
}

/** A request or a response. A response has the `kind` of its request. */
interface Tagged {
  readonly kind: string;
}

/** Main thread → worker. */
type Message<Setup, Request> =
  | { readonly type: "setup"; readonly setup: Setup }
  | { readonly type: "request"; readonly id: number; readonly request: Request }
  | { readonly type: "close"; readonly id: number };

/** Worker → main thread, with the id of the request that it responds to. */
type Reply<Response> = { readonly id: number } & (
  | { readonly type: "response"; readonly response: Response }
  | { readonly type: "closed" }
  | Failure
);
type Failure =
  | { readonly type: "problem"; readonly problem: ProblemData }
  | { readonly type: "file"; readonly file: FileProblemData }
  | { readonly type: "failure"; readonly failure: string };

/** What pending requests fail with when their thread dies. */
const deathMessages = {
  "writer-thread": "The writer thread stopped. The write may or may not have been committed.",
  "reader-thread": "The reader thread stopped. Try again shortly.",
  "check-thread": "The check thread stopped. Try again.",
  "copy-thread": "The copy thread stopped. Try again.",
} as const;

/** A worker thread with its own database connection. Its work never blocks the event loop. */
export class Thread<Setup extends ThreadSetup, Request extends Tagged, Response extends Tagged> {
  readonly #worker: Worker;
  #ended: Error | undefined;
  readonly #pending = new Map<number, PromiseWithResolvers<Response | undefined>>();
  #lastId = 0;

  /** `name` is the name of the file beside this one that calls `serveRequests`. */
  constructor(name: keyof typeof deathMessages, setup: Setup) {
    // scripts/build.ts bundles the thread files side by side. In the executable, import.meta.path has no extension.
    const extension = import.meta.path.endsWith(".ts") ? "ts" : "js";
    this.#worker = new Worker(new URL(`./${name}.${extension}`, import.meta.url));
    this.#worker.onmessage = ({ data }: MessageEvent<Reply<Response>>) => this.#settle(data);
    const fail = (message: string) => this.#fail(deathMessages[name], new Error(message));
    this.#worker.onerror = ({ message }) => fail(message);
    this.#worker.addEventListener("close", () => fail("The thread ended without an error."));
    this.#post({ type: "setup", setup });
  }

  /** Why the thread takes no more requests; undefined while it runs. */
  get ended(): Error | undefined {
    return this.#ended;
  }

  /** Number of pending requests. */
  get pending(): number {
    return this.#pending.size;
  }

  /** Rejects with the `ProblemError` or error that the thread threw, or with `unavailable` if the thread has ended. */
  request<R extends Request>(request: R): Promise<Extract<Response, { kind: R["kind"] }>>;
  async request(request: Request): Promise<Response> {
    if (this.#ended) throw this.#ended;
    const response = await this.#send((id) => ({ type: "request", id, request }));
    if (response?.kind !== request.kind) throw new Error(`No response to a ${request.kind} request.`);
    return response;
  }

  /** Lets the thread finish its requests and close its connection, then terminates it. */
  async end(): Promise<void> {
    if (!this.#ended) await this.#send((id) => ({ type: "close", id }));
    this.#worker.terminate();
  }

  #send(message: (id: number) => Message<Setup, Request>): Promise<Response | undefined> {
    const id = ++this.#lastId;
    const pending = Promise.withResolvers<Response | undefined>();
    this.#pending.set(id, pending);
    this.#post(message(id));
    return pending.promise;
  }

  #post(message: Message<Setup, Request>): void {
    this.#worker.postMessage(message);
  }

  #settle(reply: Reply<Response>): void {
    const pending = this.#pending.get(reply.id);
    this.#pending.delete(reply.id);
    if (reply.type === "response") pending?.resolve(reply.response);
    else if (reply.type === "closed") pending?.resolve(undefined);
    else pending?.reject(toError(reply));
  }

  #fail(detail: string, cause: Error): void {
    this.#ended ??= new DatabaseUnavailable(detail, cause);
    for (const { reject } of this.#pending.values()) reject(this.#ended);
    this.#pending.clear();
  }
}

function toProblemError(problem: ProblemData): ProblemError {
  return problem.type === "unavailable" ? new DatabaseUnavailable(problem.detail) : ProblemError.of(problem);
}

/** What a thread does with its connection. */
interface Handler<Request, Response> {
  respond(request: Request): Response;
  close(): void;
}

/** The worker's side: opens the handler with the setup, then handles one request after the other. */
export function serveRequests<Setup extends ThreadSetup, Request extends Tagged, Response extends Tagged>(
  open: (setup: Setup) => Handler<Request, Response>,
): void {
  let handler: Handler<Request, Response> | undefined;
  const reply = (message: Reply<Response>) => postMessage(message);
  self.onmessage = ({ data }: MessageEvent<Message<Setup, Request>>) => {
    if (data.type === "setup") {
      handler = open(data.setup);
      return;
    }
    const { id } = data;
    try {
      if (!handler) throw new Error("The thread got a request before its setup.");
      if (data.type === "request") {
        reply({ id, type: "response", response: handler.respond(data.request) });
      } else {
        handler.close();
        reply({ id, type: "closed" });
      }
    } catch (error) {
      reply({ id, ...toFailure(error) });
    }
  };
}

/** A problem if the caller can retry later; otherwise a failure: a bug, or a broken machine. */
function toFailure(reason: unknown): Failure {
  const error = toFileProblem(reason);
  if (error instanceof FileProblem) return { type: "file", file: error.file };
  if (error instanceof ProblemError) return { type: "problem", problem: error.data };
  if (isBusy(error)) return { type: "problem", problem: toUnavailable(error).data };
  return { type: "failure", failure: errorText(error) };
}

function toError(failure: Failure): Error {
  switch (failure.type) {
    case "problem":
      return toProblemError(failure.problem);
    case "file":
      return new FileProblem(failure.file);
    case "failure":
      return new Error(failure.failure);
  }
}
