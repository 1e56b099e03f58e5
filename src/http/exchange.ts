import type { Soon } from "../domain/soon.ts";

/** One request, and what is known of it on its way. */
export interface Exchange {
  readonly request: Request;
  /** When it came, on the clock of `performance.now()`. */
  readonly start: number;
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
  return given !== null && SANE_ID.test(given) ? given : `${boot}-${++count}`;
}

// Copied whole by the engine, which is cheaper than reading five properties of an object for each answer.
const common = { "cache-control": "private, no-cache", "x-content-type-options": "nosniff" };
const emptyHeaders = new Headers(common);
const jsonHeaders = new Headers({ ...common, "content-type": "application/json; charset=utf-8" });

/** An answer of the API: JSON that is ready, as text or as UTF-8. */
export function jsonAnswer(
  { requestId }: Exchange,
  status: number,
  json: string | Uint8Array<ArrayBuffer>,
  headers?: Record<string, string>,
): Response {
  return withHeaders(new Response(json, { status, headers: jsonHeaders }), requestId, headers);
}

/** An answer that is all in its status and headers. */
export function emptyAnswer(
  { requestId }: Exchange,
  status: number,
  headers?: Record<string, string>,
): Response {
  return withHeaders(new Response(null, { status, headers: emptyHeaders }), requestId, headers);
}

function withHeaders(response: Response, requestId: string, more: Record<string, string> = {}): Response {
  const { headers } = response;
  headers.set("x-request-id", requestId);
  for (const name in more) headers.set(name, more[name] ?? "");
  return response;
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
