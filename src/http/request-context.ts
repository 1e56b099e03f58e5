import { redactSecrets } from "../contract/key-secret.ts";
import type { Caller } from "../domain/caller.ts";
import type { MaybePromise } from "../domain/maybe-promise.ts";
import type { RateLimitHeaders } from "./rate-limit-headers.ts";

/** How a caller was let in, and until when. */
export interface Authentication {
  readonly auth: "open" | "off" | "key" | "session";
  readonly expiresAt: number | null;
}

/** One request, and what is known of it on its way. */
export interface RequestContext {
  readonly request: Request;
  /** When it came, on the clock of `performance.now()`. */
  readonly start: number;
  readonly requestId: string;
  /** The path of the operation that answers, as the contract writes it; the metrics and the log go by it. */
  route: string;
  /** Of the forms that the answer has, the one that is wanted. */
  responseType: string | undefined;
  /** What stands in the path where the route has a parameter. */
  parameter: string;
  /** Who sent it: nobody with any rights, until the gate has let it in. */
  caller: Caller;
  authentication: Authentication;
  /** What the answer tells of the caller's limits, if it has any. */
  rateLimitHeaders: RateLimitHeaders | undefined;
  /** Whether whoever runs the service should see it, though it did not fail: a wrong key, a change of keys. */
  logAtInfo: boolean;
  /** What was at fault, for the log, when the answer is a 5xx. */
  cause: unknown;
}

export type Handler = (context: RequestContext) => MaybePromise<Response>;

const SANE_ID = /^[A-Za-z0-9._:/+=-]{1,128}$/;
const boot = Math.random().toString(36).slice(2, 8);
let count = 0;

/** The caller's own request id if it is a sane one, else one of ours. */
export function chooseRequestId(request: Request): string {
  const given = request.headers.get("x-request-id");
  return given !== null && SANE_ID.test(given) && redactSecrets(given) === given
    ? given
    : `${boot}-${++count}`;
}
