import { formatEtag, matchesEtag } from "./query/headers.ts";
import type { RequestContext } from "./request-context.ts";

// Users, keys and even problems hold personal data: caches must not store them. ETags serve If-Match and clients that
// keep their own copy.
// Bun copies a Headers object faster than it reads the properties of a plain object.
const common = {
  "cache-control": "no-store",
  // No page of another origin can embed a response. Requests with CORS are not affected.
  "cross-origin-resource-policy": "same-origin",
  "x-content-type-options": "nosniff",
};
const json = { ...common, "content-type": "application/json; charset=utf-8" };
const unlimited = { empty: new Headers(common), json: new Headers(json) };
/** The same headers with RateLimit-Policy, by policy. */
const limited = new Map<string, typeof unlimited>();
const MAX_POLICIES = 1000;

function baseHeaders({ rateLimitHeaders }: RequestContext): typeof unlimited {
  if (!rateLimitHeaders) return unlimited;
  const { policy } = rateLimitHeaders;
  const cached = limited.get(policy);
  if (cached) return cached;
  const policyHeader = { "ratelimit-policy": policy };
  const headers = {
    empty: new Headers({ ...common, ...policyHeader }),
    json: new Headers({ ...json, ...policyHeader }),
  };
  if (limited.size >= MAX_POLICIES) limited.clear();
  limited.set(policy, headers);
  return headers;
}

/** A response of JSON, as text or UTF-8 bytes. `headers` may set another Content-Type. */
export function jsonResponse(
  context: RequestContext,
  status: number,
  body: string | Uint8Array<ArrayBuffer>,
  headers?: Record<string, string>,
): Response {
  return withHeaders(new Response(body, { status, headers: baseHeaders(context).json }), context, headers);
}

export function emptyResponse(
  context: RequestContext,
  status: number,
  headers?: Record<string, string>,
): Response {
  return withHeaders(new Response(null, { status, headers: baseHeaders(context).empty }), context, headers);
}

/** A record with its version as ETag; 304 if that is the ETag that the caller has. */
export function versionedResponse(
  context: RequestContext,
  json: string,
  record: { readonly version: number },
  ifNoneMatch: string | null = null,
): Response {
  const etag = formatEtag(record);
  return matchesEtag(ifNoneMatch, etag)
    ? emptyResponse(context, 304, { etag })
    : jsonResponse(context, 200, json, { etag });
}

/** A streamed response; `body` is null for HEAD. */
export function streamResponse(
  context: RequestContext,
  type: string,
  body: ReadableStream<Uint8Array> | null,
  headers?: Record<string, string>,
): Response {
  const response = new Response(body, { headers: baseHeaders(context).empty });
  return withHeaders(response, context, { "content-type": `${type}; charset=utf-8`, ...headers });
}

function withHeaders(
  response: Response,
  { requestId, rateLimitHeaders }: RequestContext,
  additional: Record<string, string> = {},
): Response {
  const { headers } = response;
  if (rateLimitHeaders) headers.set("ratelimit", rateLimitHeaders.remaining);
  headers.set("x-request-id", requestId);
  for (const name in additional) headers.set(name, additional[name] ?? "");
  return response;
}

/** A public page or file, with the security headers of a page. */
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

/** The response to HEAD: the headers of GET with its Content-Length, without the body. */
export async function withoutBody(response: Response): Promise<Response> {
  if (response.body === null) return response;
  const headers = new Headers(response.headers);
  headers.set("content-length", String((await response.arrayBuffer()).byteLength));
  return new Response(null, { status: response.status, headers });
}
