import { withoutSecrets } from "../contract/key-secret.ts";
import type { Caller } from "../domain/caller.ts";
import type { MaybePromise } from "../domain/maybe-promise.ts";
import type { Allowance } from "./allowance.ts";

/** How a caller was let in, and until when. */
export interface Entry {
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
  form: string | undefined;
  /** What stands in the path where the route has a parameter. */
  parameter: string;
  /** Who sent it: nobody with any rights, until the gate has let it in. */
  caller: Caller;
  entry: Entry;
  /** What the answer tells of the caller's limits, if it has any. */
  allowance: Allowance | undefined;
  /** Whether whoever runs the service should see it, though it did not fail: a wrong key, a change of keys. */
  notable: boolean;
  /** What was at fault, for the log, when the answer is a 5xx. */
  cause: unknown;
}

export type Handler = (context: RequestContext) => MaybePromise<Response>;

const SANE_ID = /^[A-Za-z0-9._:/+=-]{1,128}$/;
const boot = Math.random().toString(36).slice(2, 8);
let count = 0;

/** The caller's own request id if it is a sane one, else one of ours. */
export function requestIdOf(request: Request): string {
  const given = request.headers.get("x-request-id");
  return given !== null && SANE_ID.test(given) && withoutSecrets(given) === given
    ? given
    : `${boot}-${++count}`;
}

// Copied whole by the engine, which is cheaper than reading five properties of an object for each answer.
const common = { "cache-control": "private, no-cache", "x-content-type-options": "nosniff" };
const json = { ...common, "content-type": "application/json; charset=utf-8" };
const unlimited = { empty: new Headers(common), json: new Headers(json) };
/** The same for limited callers, by their policy: most have one of a few. */
const limited = new Map<string, typeof unlimited>();
const MOST_POLICIES = 1000;

function headersFor({ allowance }: RequestContext): typeof unlimited {
  if (!allowance) return unlimited;
  const { policy } = allowance;
  const known = limited.get(policy);
  if (known) return known;
  const told = { "ratelimit-policy": policy };
  const made = { empty: new Headers({ ...common, ...told }), json: new Headers({ ...json, ...told }) };
  if (limited.size >= MOST_POLICIES) limited.clear();
  limited.set(policy, made);
  return made;
}

/** An answer of the API: JSON that is ready, as text or as UTF-8. */
export function jsonAnswer(
  context: RequestContext,
  status: number,
  text: string | Uint8Array<ArrayBuffer>,
  headers?: Record<string, string>,
): Response {
  return withHeaders(new Response(text, { status, headers: headersFor(context).json }), context, headers);
}

/** An answer that is all in its status and headers. */
export function emptyAnswer(
  context: RequestContext,
  status: number,
  headers?: Record<string, string>,
): Response {
  return withHeaders(new Response(null, { status, headers: headersFor(context).empty }), context, headers);
}

/** An answer that is made while it is read; null where only its head is wanted. */
export function streamAnswer(
  context: RequestContext,
  type: string,
  body: ReadableStream<Uint8Array> | null,
  headers?: Record<string, string>,
): Response {
  const response = new Response(body, { headers: headersFor(context).empty });
  return withHeaders(response, context, { "content-type": `${type}; charset=utf-8`, ...headers });
}

function withHeaders(
  response: Response,
  { requestId, allowance }: RequestContext,
  more: Record<string, string> = {},
): Response {
  const { headers } = response;
  if (allowance) headers.set("ratelimit", allowance.left);
  headers.set("x-request-id", requestId);
  for (const name in more) headers.set(name, more[name] ?? "");
  return response;
}

/** An answer that anybody may have, and that is the same until the program changes. */
export function pageAnswer(
  { requestId }: RequestContext,
  type: string,
  body: string | Uint8Array<ArrayBuffer>,
  headers?: Record<string, string>,
): Response {
  return new Response(body, {
    headers: {
      "content-type": type,
      "cache-control": "no-cache",
      "content-security-policy": PAGE_POLICY,
      "cross-origin-opener-policy": "same-origin",
      "cross-origin-resource-policy": "same-origin",
      "permissions-policy": "camera=(), geolocation=(), microphone=()",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY",
      "x-request-id": requestId,
      ...headers,
    },
  });
}

const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
