import type { Problem } from "./service-types.ts";

/** The request that an error is about. Messages omit its query, which may hold personal data. */
export interface Attempt {
  readonly method: string;
  readonly url: URL;
  /** The number of tries so far. */
  readonly tries: number;
}

/** A call that failed. The subclass depends on the cause. */
export abstract class RequestError extends Error {
  readonly method: string;
  readonly url: string;
  readonly tries: number;
  /** For an interrupted import: the last line whose result arrived, if any did. */
  declare readonly lastLine: number | undefined;

  constructor({ method, url, tries }: Attempt, reason: string, options?: ErrorOptions) {
    super(`${method} ${url.pathname}: ${reason}${tries > 1 ? ` (tried ${tries} times)` : ""}`, options);
    this.method = method;
    this.url = url.href;
    this.tries = tries;
  }
}

/** The service responded with an error, or with a success that the client cannot read. */
export class ApiError extends RequestError {
  override readonly name = "ApiError";
  readonly status: number;
  readonly headers: Headers;
  /** The problem type, such as `version-mismatch`; undefined if the response has none. */
  readonly type: string | undefined;
  readonly requestId: string | undefined;

  constructor(
    attempt: Attempt,
    { status, headers }: { readonly status: number; readonly headers: Headers },
    reason: string,
    readonly problem?: Problem,
    options?: ErrorOptions,
  ) {
    const type = problem && /[^/]+$/.exec(problem.type)?.[0];
    super(attempt, `${status}${type ? ` ${type}` : ""}: ${reason}`, options);
    this.status = status;
    this.headers = headers;
    this.type = type;
    this.requestId = problem?.requestId ?? headers.get("x-request-id") ?? undefined;
  }
}

/** No response arrived, or it was cut off. The service may or may not have processed the request. */
export class NetworkError extends RequestError {
  override readonly name = "NetworkError";

  constructor(attempt: Attempt, reason: string, cause: unknown) {
    super(attempt, `${reason}: ${rootReason(cause)}`, { cause });
  }
}

/** No response arrived in time. The service may or may not have processed the request. */
export class TimeoutError extends RequestError {
  override readonly name = "TimeoutError";
}

/** The message of the innermost cause: `fetch` errors themselves say little. */
function rootReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause instanceof Error) return rootReason(error.cause);
  return error.message || ("code" in error ? String(error.code) : error.name);
}
