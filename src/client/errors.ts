import type { Problem } from "./types.ts";

/** What was asked, for messages that read well in a log: never the query, which may hold what is nobody's business. */
export interface Attempt {
  readonly method: string;
  readonly url: URL;
  /** How many times it was tried. */
  readonly tries: number;
}

/** A call that did not end as asked. Which of the kinds below it is says why. */
export abstract class RequestError extends Error {
  readonly method: string;
  readonly url: string;
  readonly tries: number;
  /** Of an import that broke off: the last line whose outcome came, if any did. */
  declare readonly lastLine: number | undefined;

  constructor({ method, url, tries }: Attempt, what: string, options?: ErrorOptions) {
    super(`${method} ${url.pathname}: ${what}${tries > 1 ? ` (tried ${tries} times)` : ""}`, options);
    this.method = method;
    this.url = url.href;
    this.tries = tries;
  }
}

/** The service answered, and the answer is no success; or it is one that cannot be read. */
export class ApiError extends RequestError {
  override readonly name = "ApiError";
  readonly status: number;
  readonly headers: Headers;
  /** The service's name for what happened, such as `version-mismatch`; undefined where the answer has none. */
  readonly type: string | undefined;
  readonly requestId: string | undefined;

  constructor(
    attempt: Attempt,
    { status, headers }: { readonly status: number; readonly headers: Headers },
    what: string,
    readonly problem?: Problem,
    options?: ErrorOptions,
  ) {
    const type = problem && /[^/]+$/.exec(problem.type)?.[0];
    super(attempt, `${status}${type ? ` ${type}` : ""}: ${what}`, options);
    this.status = status;
    this.headers = headers;
    this.type = type;
    this.requestId = problem?.requestId ?? headers.get("x-request-id") ?? undefined;
  }
}

/** No answer came, or it broke off: the service may have done what was asked or not. */
export class NetworkError extends RequestError {
  override readonly name = "NetworkError";

  constructor(attempt: Attempt, what: string, cause: unknown) {
    super(attempt, `${what}: ${reasonOf(cause)}`, { cause });
  }
}

/** No answer came in time: the service may have done what was asked or not. */
export class TimeoutError extends RequestError {
  override readonly name = "TimeoutError";
}

/** What lies at the bottom of an error of `fetch`, which itself says little. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause instanceof Error) return reasonOf(error.cause);
  return error.message || ("code" in error ? String(error.code) : error.name);
}
