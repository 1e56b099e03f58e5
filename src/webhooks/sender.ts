import { ClosedUnused, Connection, type ConnectOptions } from "./connection.ts";
import { ConnectionPool } from "./connection-pool.ts";
import type { ResponseHead } from "./parse-response.ts";
import { parseRetryAfter } from "./retry-schedule.ts";
import { SendError } from "./send-error.ts";
import { signedHeaders } from "./signature.ts";
import { findTarget, type Resolve, resolveHost, type Target } from "./target.ts";

/** The time for everything: finding the address, connecting, sending, and the head of the response. */
const TIMEOUT_MS = 15_000;
/** The time for one address, if the host has others. */
const CONNECT_MS = 4000;
const MAX_ADDRESSES = 4;

export interface SenderOptions {
  /** Whether receivers may have private addresses. */
  readonly allowPrivate: boolean;
  readonly userAgent: string;
  /** Traces an attempt. Undefined if traces are not exported. */
  readonly trace?: ((host: string) => AttemptTrace) | undefined;
  /** Only tests set these. */
  readonly resolve?: Resolve;
  readonly timeoutMs?: number;
  readonly ca?: string;
}

interface AttemptTrace {
  /** The header that makes the receiver continue the trace. */
  readonly traceparent: string;
  end(outcome: SendOutcome): void;
}

export interface Message {
  readonly url: string;
  readonly id: string;
  readonly body: string;
  /** One signature for each. */
  readonly secrets: readonly string[];
}

/** The outcome of one attempt. Without an error, the receiver accepted the message. */
export interface SendOutcome {
  /** The status of the response; null if there was none. */
  readonly code: number | null;
  readonly durationMs: number;
  readonly error: string | null;
  /** How long the receiver asks to wait. */
  readonly retryAfterMs: number | undefined;
}

/**
 * Sends messages to receivers. Every attempt finds and checks the addresses of the host, and connects to an address that was
 * checked. Follows no redirect, uses no proxy, and stores nothing of a response but its status.
 */
export class Sender {
  readonly #options: SenderOptions;
  readonly #pool = new ConnectionPool();
  readonly #running = new Set<AbortController>();

  constructor(options: SenderOptions) {
    this.#options = options;
  }

  /** Never fails. */
  async send(message: Message): Promise<SendOutcome> {
    const start = performance.now();
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(), this.#options.timeoutMs ?? TIMEOUT_MS);
    this.#running.add(controller);
    const trace = this.#options.trace?.(new URL(message.url).host);
    const outcome = (code: number | null, error: string | null, retryAfter?: string) => {
      const sent = {
        code,
        durationMs: Math.round(performance.now() - start),
        error,
        retryAfterMs: parseRetryAfter(retryAfter, Date.now()),
      };
      trace?.end(sent);
      return sent;
    };
    try {
      const { code, retryAfter } = await this.#exchange(message, controller.signal, trace?.traceparent);
      return outcome(code, describeFailure(code), retryAfter);
    } catch (error) {
      return outcome(null, error instanceof SendError ? error.message : "The delivery failed.");
    } finally {
      clearTimeout(timer);
      this.#running.delete(controller);
    }
  }

  /** Cancels what is being sent. */
  close(): void {
    for (const controller of this.#running) controller.abort();
    this.#pool.close();
  }

  async #exchange(message: Message, signal: AbortSignal, traceparent?: string): Promise<ResponseHead> {
    const url = new URL(message.url);
    const { allowPrivate, resolve = resolveHost, userAgent } = this.#options;
    const target = await withSignal(findTarget(url, allowPrivate, resolve), signal);
    const request = renderRequest(url, message, userAgent, traceparent);
    const choices = listChoices(target, this.#options.ca);
    for (const choice of choices) {
      const idle = this.#pool.take(choice);
      if (!idle) continue;
      try {
        return await this.#post(idle, choice, request, signal);
      } catch (error) {
        // The receiver closed the idle connection before it saw the request.
        if (!(error instanceof ClosedUnused)) throw error;
      }
    }
    const { connection, choice } = await connectToAny(choices, signal);
    return this.#post(connection, choice, request, signal);
  }

  #post(
    connection: Connection,
    choice: ConnectOptions,
    request: string,
    signal: AbortSignal,
  ): Promise<ResponseHead> {
    return connection.post(request, signal, () => this.#pool.give(choice, connection));
  }
}

function listChoices({ tls, addresses, port, serverName }: Target, ca: string | undefined): ConnectOptions[] {
  return addresses
    .slice(0, MAX_ADDRESSES)
    .map((address) => ({ tls, address, port, serverName, ...(ca !== undefined && { ca }) }));
}

/** Tries one address after the other. Fails with the error of the last one. */
async function connectToAny(
  choices: readonly ConnectOptions[],
  signal: AbortSignal,
): Promise<{ connection: Connection; choice: ConnectOptions }> {
  let failure: unknown;
  for (const choice of choices) {
    const controller = new AbortController();
    const abort = () => controller.abort();
    signal.addEventListener("abort", abort, { once: true });
    const timer = choices.length > 1 ? setTimeout(abort, CONNECT_MS) : undefined;
    try {
      return { connection: await Connection.open(choice, controller.signal), choice };
    } catch (error) {
      failure = error;
      if (signal.aborted) break;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", abort);
    }
  }
  throw failure;
}

function withSignal<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(new SendError("The host name was not resolved in time."));
    signal.addEventListener("abort", abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}

function renderRequest(
  url: URL,
  { id, body, secrets }: Message,
  userAgent: string,
  traceparent: string | undefined,
): string {
  const timestamp = Math.floor(Date.now() / 1000);
  const headers = {
    host: url.host,
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
    "user-agent": userAgent,
    accept: "*/*",
    ...(traceparent !== undefined && { traceparent }),
    ...signedHeaders({ id, timestamp, body }, secrets),
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST ${url.pathname}${url.search} HTTP/1.1\r\n${lines.join("")}\r\n${body}`;
}

function describeFailure(code: number): string | null {
  if (code >= 200 && code < 300) return null;
  if (code >= 300 && code < 400) return `The receiver redirected (${code}). Redirects are not followed.`;
  return `The receiver answered ${code}.`;
}
