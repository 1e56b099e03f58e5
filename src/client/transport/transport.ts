import { ApiError, type Attempt, NetworkError, RequestError, TimeoutError } from "../errors.ts";
import type { CallOptions } from "../types.ts";
import { readApiError, readJson } from "./read-response.ts";
import { MAX_TIMER_MS, now, startTimer, wait } from "./timer.ts";

/** A failed try that will be retried. */
export interface Retry {
  readonly error: RequestError;
  /** The number of tries so far. */
  readonly tries: number;
  /** Milliseconds until the next try. */
  readonly delay: number;
}

export interface TransportOptions {
  /** Sends a request. Default: the platform's `fetch`. */
  readonly fetch?: (request: Request) => Response | Promise<Response>;
  /** Timeout of a call with all its retries, in milliseconds. */
  readonly timeout?: number;
  /** Timeout of one try, in milliseconds. */
  readonly tryTimeout?: number;
  /** The maximum number of retries of a call that is safe to repeat. */
  readonly retries?: number;
  /** Called before every retry. Default: logs a warning to the console. */
  readonly onRetry?: (retry: Retry) => void;
  /** Called with every error before it is thrown. */
  readonly onError?: (error: unknown) => void;
}

export interface Call extends CallOptions {
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
  readonly body: BodyInit | undefined;
  /** Overrides the client's timeout of one try. */
  readonly tryTimeout?: number;
  /** Whether sending the request twice has the same effect as sending it once. */
  readonly idempotent: boolean;
  /** Whether the body is a stream: it cannot be retried or redirected. */
  readonly sendOnce?: boolean;
  /** Whether the headers contain credentials, which must not be sent to another origin. */
  readonly hasCredentials: boolean;
}

export interface ApiResponse<Body = unknown> {
  readonly attempt: Attempt;
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

type Read<Body> = (response: Response, attempt: Attempt) => Body | Promise<Body>;

const FIRST_DELAY_MS = 200;
const MAX_DELAY_MS = 8000;
/** A try with less time than this would end with a timeout, which hides why the earlier ones failed. */
const MIN_TRY_MS = 200;
const MAX_REDIRECTS = 5;
const SAFE_METHODS = new Set(["GET", "HEAD"]);
/** `fetch` requires this for a body that is a stream. */
const HALF_DUPLEX = { duplex: "half" };

/** Sends calls: throws an error for every failure, and retries where that is safe. */
export class Transport {
  readonly options: Required<TransportOptions>;

  constructor({
    fetch = defaultFetch,
    timeout = 30_000,
    tryTimeout = 10_000,
    retries = 3,
    onRetry = ({ error, delay }) => console.warn(`${error.message}; retrying in ${delay} ms`),
    onError = () => {},
  }: TransportOptions) {
    this.options = { fetch, timeout, tryTimeout, retries, onRetry, onError };
  }

  /** Sends a call. The body of the response is its JSON, or the result of `read`. */
  send(call: Call): Promise<ApiResponse>;
  send<Body>(call: Call, read: Read<Body>): Promise<ApiResponse<Body>>;
  async send(call: Call, read: Read<unknown> = readJson): Promise<ApiResponse> {
    let remaining = Math.min(call.timeout ?? this.options.timeout, MAX_TIMER_MS);
    const deadline = now() + remaining;
    for (let tries = 1; ; tries++) {
      try {
        const attempt = { method: call.method, url: call.url, tries };
        return await this.#attempt(call, attempt, read, remaining);
      } catch (error) {
        await this.#waitForRetry(call, error, tries, deadline);
        remaining = Math.ceil(deadline - now());
      }
    }
  }

  /** Wraps every public method: reports each error to `onError`, once. */
  async reportErrors<T>(work: () => T | Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      this.options.onError(error);
      throw error;
    }
  }

  /** Waits until the next try. Rethrows the error if the call is not retried. */
  async #waitForRetry(call: Call, error: unknown, tries: number, deadline: number): Promise<void> {
    if (!(error instanceof RequestError) || tries > this.options.retries || !shouldRetry(call, error)) {
      throw error;
    }
    const delay = Math.ceil(
      parseRetryAfter(error) ??
        Math.min(FIRST_DELAY_MS * 2 ** (tries - 1), MAX_DELAY_MS) * (0.5 + Math.random() / 2),
    );
    if (now() + delay + MIN_TRY_MS > deadline) throw error;
    this.options.onRetry({ error, tries, delay });
    await wait(delay, call.signal);
  }

  async #attempt(call: Call, attempt: Attempt, read: Read<unknown>, remaining: number): Promise<ApiResponse> {
    call.signal?.throwIfAborted();
    const limit = Math.max(1, Math.min(remaining, call.tryTimeout ?? this.options.tryTimeout));
    const controller = new AbortController();
    const { signal } = controller;
    const stop = () => controller.abort(call.signal?.reason);
    const timeOut = () => controller.abort(new TimeoutError(attempt, `no response within ${limit} ms`));
    const clearTimer = startTimer(timeOut, limit);
    call.signal?.addEventListener("abort", stop);
    try {
      return await abortable(signal, this.#followRedirects(call, attempt, read, signal));
    } catch (error) {
      throw signal.aborted ? signal.reason : error;
    } finally {
      clearTimer();
      call.signal?.removeEventListener("abort", stop);
    }
  }

  async #followRedirects(
    call: Call,
    attempt: Attempt,
    read: Read<unknown>,
    signal: AbortSignal,
  ): Promise<ApiResponse> {
    let url = call.url;
    for (let redirects = 0; ; redirects++) {
      const response = await this.#fetch(call, url, attempt, signal);
      const { status, headers } = response;
      const target = redirectTarget(response, url);
      if (!target) {
        if (!response.ok) throw await readApiError(response, attempt);
        return { attempt, status, headers, body: await read(response, attempt) };
      }
      response.body?.cancel().catch(() => {});
      if (redirects >= MAX_REDIRECTS || !mayFollow(call, status, target)) {
        const reason = `the redirect to ${target.origin}${target.pathname} was not followed`;
        throw new ApiError(attempt, response, reason);
      }
      url = target;
    }
  }

  async #fetch(
    { method, headers, body, hasCredentials }: Call,
    url: URL,
    attempt: Attempt,
    signal: AbortSignal,
  ) {
    // By default, fetch sends the headers to other origins and turns a POST into a GET.
    const redirect = hasCredentials || !SAFE_METHODS.has(method) ? "manual" : "follow";
    const request = new Request(url, {
      method,
      headers,
      signal,
      redirect,
      body: body ?? null,
      ...HALF_DUPLEX,
    });
    try {
      return await this.options.fetch(request);
    } catch (cause) {
      throw new NetworkError(attempt, `no response from ${url.origin}`, cause);
    }
  }
}

/**
 * Bun itself repeats a PUT or DELETE when a reused connection breaks, and the second try could report a conflict with
 * the first. `keepalive: false` prevents that; on other platforms it is the default.
 */
function defaultFetch(request: Request): Promise<Response> {
  const needsNewConnection = request.method === "DELETE" || request.headers.has("if-match");
  return fetch(request, needsNewConnection ? { keepalive: false } : {});
}

/** A request that was not processed is always retried; one that may have been processed, only if it is idempotent. */
function shouldRetry(call: Call, error: RequestError): boolean {
  if (call.sendOnce) return false;
  if (!(error instanceof ApiError)) return call.idempotent;
  // An earlier try of this create is still running.
  if (error.type === "idempotency-in-flight") return true;
  // The quota resets next month.
  if (error.type === "quota-exceeded") return false;
  return error.status === 429 || (error.status === 503 && call.idempotent);
}

/** The Retry-After header (seconds or a date) in milliseconds. */
function parseRetryAfter(error: RequestError): number | undefined {
  const text = error instanceof ApiError ? error.headers.get("retry-after") : null;
  if (text === null) return undefined;
  const ms = /^[\d.]+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

function redirectTarget({ status, headers }: Response, url: URL): URL | undefined {
  const location = [301, 302, 303, 307, 308].includes(status) && headers.get("location");
  return location && URL.canParse(location, url) ? new URL(location, url) : undefined;
}

/** Follows a redirect only if the method stays the same, and with credentials only within the origin. */
function mayFollow({ method, url, hasCredentials, sendOnce }: Call, status: number, target: URL): boolean {
  return (
    (SAFE_METHODS.has(method) || (status > 303 && !sendOnce)) &&
    (!hasCredentials || target.origin === url.origin)
  );
}

/** The promise, or a rejection as soon as the signal aborts: a custom `fetch` may ignore the signal. */
function abortable<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop);
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}
