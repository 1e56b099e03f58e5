import { ApiError, type Attempt, NetworkError, RequestError, TimeoutError } from "./errors.ts";
import { readApiError, readJson } from "./read-response.ts";
import type { CallOptions } from "./types.ts";

/** A failure that is about to be tried again. */
export interface Retry {
  readonly error: RequestError;
  /** The number of the try that failed. */
  readonly tries: number;
  readonly delay: number;
}

export interface TransportOptions {
  /** What sends a request; the platform's own `fetch` unless you give another. */
  readonly fetch?: (request: Request) => Response | Promise<Response>;
  /** Milliseconds for a whole call, retries included. */
  readonly timeout?: number;
  /** Milliseconds for one try. */
  readonly tryTimeout?: number;
  /** How often a call that may safely be repeated is tried again. */
  readonly retries?: number;
  /** Told of every retry; writes a warning to the console unless you give another. */
  readonly onRetry?: (retry: Retry) => void;
  /** Told of every error before it is thrown. */
  readonly onError?: (error: unknown) => void;
}

export interface Call extends CallOptions {
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
  readonly body: BodyInit | undefined;
  /** Milliseconds for one try, where they are not the client's. */
  readonly tryTimeout?: number;
  /** Whether doing it twice comes to the same as doing it once. */
  readonly idempotent: boolean;
  /** Whether the body can be had a single time: then it is sent to one place, once. */
  readonly sendOnce?: boolean;
  /** Whether the headers hold a secret, which no other origin may see. */
  readonly hasCredentials: boolean;
}

export interface ApiResponse<Body = unknown> {
  readonly attempt: Attempt;
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

type Read<Body> = (response: Response, attempt: Attempt) => Body | Promise<Body>;

const FIRST_DELAY = 200;
const LONGEST_DELAY = 8000;
const MAX_REDIRECTS = 5;
/** The longest that a timer can wait: 24 days. */
const MAX_TIMER_MS = 2 ** 31 - 1;
const SAFE_METHODS = new Set(["GET", "HEAD"]);
/** What `fetch` wants to hear before it takes a body that is a stream. */
const HALF = { duplex: "half" };

/** Sends calls: looks at `ok`, gives every failure its own class of error, tries again what is safe. */
export class Transport {
  readonly options: Required<TransportOptions>;

  constructor({
    fetch = defaultFetch,
    timeout = 30_000,
    tryTimeout = 10_000,
    retries = 3,
    onRetry = ({ error, delay }) => console.warn(`${error.message}; trying again in ${delay} ms`),
    onError = () => undefined,
  }: TransportOptions) {
    this.options = { fetch, timeout, tryTimeout, retries, onRetry, onError };
  }

  /** The answer, with what its JSON holds, or with what is made of a success in its place. */
  send(call: Call): Promise<ApiResponse>;
  send<Body>(call: Call, read: Read<Body>): Promise<ApiResponse<Body>>;
  async send(call: Call, read: Read<unknown> = readJson): Promise<ApiResponse> {
    let left = Math.min(call.timeout ?? this.options.timeout, MAX_TIMER_MS);
    const deadline = performance.now() + left;
    for (let tries = 1; ; tries++) {
      try {
        const attempt = { method: call.method, url: call.url, tries };
        return await this.#try(call, attempt, read, left);
      } catch (error) {
        await this.#pause(call, error, tries, deadline);
        left = Math.ceil(deadline - performance.now());
      }
    }
  }

  /** What anybody calls from outside goes through here, so that `onError` is told once of what it throws. */
  async reportErrors<T>(work: () => T | Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      this.options.onError(error);
      throw error;
    }
  }

  /** Waits until the next try; throws the error again if there is to be none. */
  async #pause(call: Call, error: unknown, tries: number, deadline: number): Promise<void> {
    if (!(error instanceof RequestError) || tries > this.options.retries || !shouldRetry(call, error)) {
      throw error;
    }
    const delay = Math.ceil(
      retryAfter(error) ??
        Math.min(FIRST_DELAY * 2 ** (tries - 1), LONGEST_DELAY) * (0.5 + Math.random() / 2),
    );
    if (performance.now() + delay >= deadline) throw error;
    this.options.onRetry({ error, tries, delay });
    let timer: ReturnType<typeof setTimeout> | undefined;
    const waiting = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, delay);
    });
    await abortable(call.signal, waiting).finally(() => clearTimeout(timer));
  }

  async #try(call: Call, attempt: Attempt, read: Read<unknown>, remaining: number): Promise<ApiResponse> {
    call.signal?.throwIfAborted();
    const limit = Math.max(1, Math.min(remaining, call.tryTimeout ?? this.options.tryTimeout));
    const stopper = new AbortController();
    const { signal } = stopper;
    const stop = () => stopper.abort(call.signal?.reason);
    const late = () => stopper.abort(new TimeoutError(attempt, `no answer within ${limit} ms`));
    const timer = setTimeout(late, limit);
    call.signal?.addEventListener("abort", stop);
    try {
      return await abortable(signal, this.#exchange(call, attempt, read, signal));
    } catch (error) {
      throw signal.aborted ? signal.reason : error;
    } finally {
      clearTimeout(timer);
      call.signal?.removeEventListener("abort", stop);
    }
  }

  async #exchange(
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
        // Whether it is a success is looked at before the body is.
        if (!response.ok) throw await readApiError(response, attempt);
        return { attempt, status, headers, body: await read(response, attempt) };
      }
      response.body?.cancel().catch(() => undefined);
      if (redirects >= MAX_REDIRECTS || !mayFollow(call, status, target)) {
        const what = `redirects to ${target.origin}${target.pathname}, which is not followed`;
        throw new ApiError(attempt, response, what);
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
    // Left to itself, fetch shows the headers to another origin, and makes a GET of a POST.
    const redirect = hasCredentials || !SAFE_METHODS.has(method) ? "manual" : "follow";
    const request = new Request(url, { method, headers, signal, redirect, body: body ?? null, ...HALF });
    try {
      return await this.options.fetch(request);
    } catch (cause) {
      throw new NetworkError(attempt, `no answer from ${url.origin}`, cause);
    }
  }
}

/**
 * Bun by itself repeats a PUT or DELETE whose connection breaks, if the connection had been in use before: then nobody
 * could tell what was done from a conflict. Elsewhere `keepalive: false` is what is meant anyway.
 */
function defaultFetch(request: Request): Promise<Response> {
  const fresh = request.method === "DELETE" || request.headers.has("if-match");
  return fetch(request, fresh ? { keepalive: false } : {});
}

/** What was not done may always be tried again; what may have been done, only if that does no harm. */
function shouldRetry(call: Call, error: RequestError): boolean {
  if (call.sendOnce) return false;
  if (!(error instanceof ApiError)) return call.idempotent;
  // Of a create: an earlier try of it is still running.
  if (error.type === "idempotency-in-flight") return true;
  // The next month is nothing that a call waits for, however much time it was given.
  if (error.type === "quota-exceeded") return false;
  return error.status === 429 || (error.status === 503 && call.idempotent);
}

/** Milliseconds, from a number of seconds or a date. */
function retryAfter(error: RequestError): number | undefined {
  const text = error instanceof ApiError ? error.headers.get("retry-after") : null;
  if (text === null) return undefined;
  const ms = /^[\d.]+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

function redirectTarget({ status, headers }: Response, url: URL): URL | undefined {
  const location = [301, 302, 303, 307, 308].includes(status) && headers.get("location");
  return location && URL.canParse(location, url) ? new URL(location, url) : undefined;
}

/** Only what is the same request there, and a secret only to the same origin. */
function mayFollow({ method, url, hasCredentials, sendOnce }: Call, status: number, target: URL): boolean {
  return (
    (SAFE_METHODS.has(method) || (status > 303 && !sendOnce)) &&
    (!hasCredentials || target.origin === url.origin)
  );
}

/** The same as the promise, unless the signal comes first: not everything that fetches listens to it. */
function abortable<T>(signal: AbortSignal | undefined, promise: Promise<T>): Promise<T> {
  if (!signal) return promise;
  return new Promise<T>((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop);
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}
