import { REQUEST_ID_PATTERN } from "../contract/events/event.ts";
import { redactSecrets } from "../contract/keys/key-secret.ts";
import { type Caller, type Origin, unknownCaller } from "../domain/caller.ts";
import type { MaybePromise } from "../domain/maybe-promise.ts";
import type { Span } from "../telemetry/traces/tracer.ts";
import type { RateLimitHeaders } from "./access/rate-limit-headers.ts";
import type { PathParameters } from "./route-table.ts";

/** How the caller is authenticated. `open` and `off` are modes in which the service requires no key. */
export interface Authentication {
  readonly auth: "open" | "off" | "key" | "session" | "token";
  /** When the session or the access token expires, in milliseconds since 1970. */
  readonly expiresAt: number | null;
  /** The digest of the session's token, or of the access token. */
  readonly session?: string;
}

/** A request with everything that the HTTP layer finds out about it. */
export interface RequestContext {
  readonly request: Request;
  /** The absolute URL of the request, percent-encoded. Unlike `request.url`, it is never only a path. */
  readonly url: string;
  /** Whether the request has a Host. HTTP/1.0 requests may have none: the host of `url` has no meaning then. */
  readonly hasHost: boolean;
  /** When the request arrived, in monotonic milliseconds of the service's clock. */
  readonly start: number;
  readonly requestId: string;
  /** The matched path pattern, such as `/api/users/{id}`. Metrics are labelled with it. */
  route: string;
  parameters: PathParameters;
  /** The media type of the response, negotiated from the Accept header. */
  responseType: string | undefined;
  /** Has no scopes until the gate has admitted the request. */
  caller: Caller;
  authentication: Authentication;
  /** Undefined for a caller without limits. */
  rateLimitHeaders: RateLimitHeaders | undefined;
  /** Logs the request at level info even if it succeeds. Operations say so with `logged`. */
  logAtInfo: boolean;
  /** The error behind a 5xx response, for the log. */
  cause: unknown;
  /** Undefined unless traces are exported. */
  readonly span: Span | undefined;
}

const NOT_AUTHENTICATED: Authentication = { auth: "key", expiresAt: null };

/** `start` is when the request arrived. `url` replaces the URL of the request. */
export function createContext(
  request: Request,
  parameters: PathParameters,
  start: number,
  url: string = request.url,
  span?: Span,
): RequestContext {
  const isAbsolute = url.startsWith("http");
  return {
    request,
    url: isAbsolute ? url : withHost(url),
    hasHost: isAbsolute || Boolean(request.headers.get("host")),
    start,
    requestId: chooseRequestId(request),
    route: "",
    parameters,
    responseType: undefined,
    caller: unknownCaller,
    authentication: NOT_AUTHENTICATED,
    rateLimitHeaders: undefined,
    logAtInfo: false,
    cause: undefined,
    span,
  };
}

/** Who makes the changes of this request. */
export function originOf({ caller: { actor }, requestId }: RequestContext): Origin {
  return { actor, requestId };
}

export type Handler = (context: RequestContext) => MaybePromise<Response>;

/** Without a Host header, and for CONNECT, Bun's URL is the request target as sent: neither normalized nor encoded. */
function withHost(target: string): string {
  return new URL(target.startsWith("/") ? `http://localhost${target}` : "http://localhost/").href;
}

/** The path of an absolute URL without its query, which may hold personal data. */
export function parsePath(url: string): string {
  const start = url.indexOf("/", "https://".length);
  const end = url.indexOf("?", start);
  return start < 0 ? "/" : url.slice(start, end < 0 ? undefined : end);
}

const VALID_REQUEST_ID = new RegExp(REQUEST_ID_PATTERN);
const processPrefix = Math.random().toString(36).slice(2, 8);
let requestCount = 0;

/** The caller's X-Request-Id if it is valid and holds no secret, otherwise a new one. */
function chooseRequestId(request: Request): string {
  const requested = request.headers.get("x-request-id");
  return requested !== null && VALID_REQUEST_ID.test(requested) && redactSecrets(requested) === requested
    ? requested
    : `${processPrefix}-${++requestCount}`;
}
