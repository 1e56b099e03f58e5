import { Attempt, type AttemptOptions } from "./attempt.ts";
import type { ReceivedBody, ResponseHead } from "./connection.ts";
import { ConnectionPool } from "./connection-pool.ts";
import type { Message } from "./request-text.ts";
import { type ResponseText, toResponseText } from "./response-text.ts";
import { parseRetryAfter } from "./retry-schedule.ts";
import { SendError } from "./target.ts";

/** The time for everything: finding the address, connecting, sending, and the head of the response. */
const TIMEOUT_MS = 15_000;
/** Receivers often close idle connections after five seconds. */
const IDLE_MS = 4000;
/** How often the sender looks for attempts that take too long: this many times in the time of an attempt. */
const LOOKS_PER_TIMEOUT = 30;

export interface SenderOptions extends AttemptOptions {
  /** Traces an attempt. Undefined if traces are not exported. */
  readonly trace?: ((host: string) => AttemptTrace) | undefined;
  /** Only tests set these. */
  readonly timeoutMs?: number;
  readonly idleMs?: number;
}

interface AttemptTrace {
  /** The header that makes the receiver continue the trace. */
  readonly traceparent: string;
  end(outcome: SendOutcome): void;
}

/** The outcome of one attempt. Without an error, the receiver accepted the message. */
export interface SendOutcome {
  /** The status of the response; null if there was none. */
  readonly code: number | null;
  readonly durationMs: number;
  readonly error: string | null;
  /** How long the receiver asks to wait. */
  readonly retryAfterMs: number | undefined;
  /** False if there was no connection. */
  readonly isReached: boolean;
  /** The response to store. */
  readonly response?: ResponseText;
}

/**
 * Sends messages to receivers. Every attempt finds and checks the addresses of the host, and connects to an address that was
 * checked. Follows no redirect, uses no proxy, and keeps nothing of a response but its status, and what `keepsResponseOf` allows.
 */
export class Sender {
  readonly #options: SenderOptions;
  readonly #timeoutMs: number;
  readonly #pool: ConnectionPool;
  /** When each attempt has to end, in the order of their starts. */
  readonly #running = new Map<Attempt, number>();
  #timer: ReturnType<typeof setInterval> | undefined;
  #busyMs = 0;

  constructor(options: SenderOptions) {
    this.#options = options;
    this.#timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
    this.#pool = new ConnectionPool(options.idleMs ?? IDLE_MS);
  }

  get userAgent(): string {
    return this.#options.userAgent;
  }

  /** How long requests and responses have kept the event loop so far. */
  get busyMs(): number {
    return this.#busyMs;
  }

  /** Never fails. */
  send(message: Message): Promise<SendOutcome> {
    return new Promise((resolve) => this.start(message, resolve));
  }

  /** Calls `done` once, at once or later. Never fails. */
  start(message: Message, done: (outcome: SendOutcome) => void): void {
    const begin = performance.now();
    const url = URL.parse(message.url);
    if (!url) {
      done(describeOutcome(new SendError("The URL is not valid."), false, 0));
      return;
    }
    const trace = this.#options.trace?.(url.host);
    const plan = { url, message, traceparent: trace?.traceparent, options: this.#options };
    const attempt = new Attempt(this.#pool, plan, (response, isReached, body) => {
      const end = performance.now();
      this.#running.delete(attempt);
      const outcome = describeOutcome(response, isReached, end - begin, body);
      trace?.end(outcome);
      done(outcome);
      this.#busyMs += performance.now() - end;
    });
    this.#running.set(attempt, begin + this.#timeoutMs);
    this.#timer ??= setInterval(
      () => this.#endLate(performance.now()),
      this.#timeoutMs / LOOKS_PER_TIMEOUT,
    ).unref();
    attempt.start();
    this.#busyMs += performance.now() - begin;
  }

  /** Cancels what is being sent. */
  close(): void {
    this.#endLate(Number.POSITIVE_INFINITY);
    this.#pool.close();
  }

  #endLate(now: number): void {
    for (const [attempt, endsAt] of this.#running) {
      if (endsAt > now) break;
      attempt.abort();
    }
    if (this.#running.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

/** What deliveries use of the sender. */
export type EventSender = Pick<Sender, "start" | "send" | "userAgent" | "busyMs" | "close">;

function describeOutcome(
  response: ResponseHead | SendError,
  isReached: boolean,
  durationMs: number,
  body?: ReceivedBody,
): SendOutcome {
  const isAnswer = !(response instanceof SendError);
  return {
    code: isAnswer ? response.code : null,
    durationMs: Math.round(durationMs),
    error: isAnswer ? describeFailure(response.code) : response.message,
    retryAfterMs: isAnswer ? parseRetryAfter(response.retryAfter, Date.now()) : undefined,
    isReached,
    ...(body && { response: toResponseText(body) }),
  };
}

function describeFailure(code: number): string | null {
  if (code >= 200 && code < 300) return null;
  if (code >= 300 && code < 400) return `The receiver redirected (${code}). Redirects are not followed.`;
  return `The receiver answered ${code}.`;
}
