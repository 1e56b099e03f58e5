import type { RequestContext } from "./request-context.ts";

// Copied whole by the engine, which is cheaper than reading five properties of an object for each answer.
const common = { "cache-control": "private, no-cache", "x-content-type-options": "nosniff" };
const json = { ...common, "content-type": "application/json; charset=utf-8" };
const unlimited = { empty: new Headers(common), json: new Headers(json) };
/** The same for limited callers, by their policy: most have one of a few. */
const limited = new Map<string, typeof unlimited>();
const MOST_POLICIES = 1000;

function headersFor({ rateLimitHeaders }: RequestContext): typeof unlimited {
  if (!rateLimitHeaders) return unlimited;
  const { policy } = rateLimitHeaders;
  const known = limited.get(policy);
  if (known) return known;
  const told = { "ratelimit-policy": policy };
  const made = { empty: new Headers({ ...common, ...told }), json: new Headers({ ...json, ...told }) };
  if (limited.size >= MOST_POLICIES) limited.clear();
  limited.set(policy, made);
  return made;
}

/** An answer of the API: JSON that is ready, as text or as UTF-8. */
export function jsonResponse(
  context: RequestContext,
  status: number,
  text: string | Uint8Array<ArrayBuffer>,
  headers?: Record<string, string>,
): Response {
  return withHeaders(new Response(text, { status, headers: headersFor(context).json }), context, headers);
}

/** An answer that is all in its status and headers. */
export function emptyResponse(
  context: RequestContext,
  status: number,
  headers?: Record<string, string>,
): Response {
  return withHeaders(new Response(null, { status, headers: headersFor(context).empty }), context, headers);
}

/** An answer that is made while it is read; null where only its head is wanted. */
export function streamResponse(
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
  { requestId, rateLimitHeaders }: RequestContext,
  more: Record<string, string> = {},
): Response {
  const { headers } = response;
  if (rateLimitHeaders) headers.set("ratelimit", rateLimitHeaders.remaining);
  headers.set("x-request-id", requestId);
  for (const name in more) headers.set(name, more[name] ?? "");
  return response;
}

/** An answer that anybody may have, and that is the same until the program changes. */
export function pageResponse(
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
