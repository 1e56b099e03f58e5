import type { Soon } from "../domain/soon.ts";

/** One request, and what is known of it on its way. */
export interface Exchange {
  readonly request: Request;
  readonly requestId: string;
  /** The path of the operation that answers, as the contract writes it; the metrics and the log go by it. */
  route: string;
  /** What stands in the path where the route has a parameter. */
  parameter: string;
  /** What was at fault, for the log, when the answer is a 5xx. */
  cause: unknown;
}

export type Handler = (exchange: Exchange) => Soon<Response>;

const SANE_ID = /^[A-Za-z0-9._:/+=-]{1,128}$/;
const boot = Math.random().toString(36).slice(2, 8);
let count = 0;

/** The caller's own request id if it is a sane one, else one of ours. */
export function requestIdOf(request: Request): string {
  const given = request.headers.get("x-request-id");
  return given !== null && SANE_ID.test(given) ? given : `${boot}-${(++count).toString(36)}`;
}

type Headers = Record<string, string>;

/** An answer of the API: JSON that is ready as text. It takes over the headers that it is given. */
export function jsonAnswer(
  exchange: Exchange,
  status: number,
  json: string,
  headers: Headers = {},
): Response {
  headers["content-type"] ??= "application/json; charset=utf-8";
  return new Response(json, { status, headers: withCommon(headers, exchange) });
}

/** An answer that is all in its status and headers. */
export function emptyAnswer(exchange: Exchange, status: number, headers: Headers = {}): Response {
  return new Response(null, { status, headers: withCommon(headers, exchange) });
}

/** Added to the object itself: a copy of it would be one more a request. */
function withCommon(headers: Headers, { requestId }: Exchange): Headers {
  headers["cache-control"] = "private, no-cache";
  headers["x-content-type-options"] = "nosniff";
  headers["x-request-id"] = requestId;
  return headers;
}

/** An answer that anybody may have, and that is the same until the program changes. */
export function pageAnswer({ requestId }: Exchange, type: string, body: string): Response {
  return new Response(body, {
    headers: {
      "content-type": type,
      "cache-control": "no-cache",
      "content-security-policy": PAGE_POLICY,
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      "x-request-id": requestId,
    },
  });
}

const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
