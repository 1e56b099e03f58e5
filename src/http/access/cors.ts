const REQUEST_HEADERS =
  "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, X-API-Key, X-Request-Id";
const RESPONSE_HEADERS =
  "ETag, Idempotency-Replayed, Link, Location, RateLimit, RateLimit-Policy, Retry-After, Roster-Event, X-Request-Id, X-Total-Count, X-Total-Count-Capped";
const PREFLIGHT_SECONDS = 600;

/** Lets pages of the allowed origins send requests and read responses, without cookies. */
export class Cors {
  readonly #origins: ReadonlySet<string>;

  constructor(origins: readonly string[]) {
    this.#origins = new Set(origins);
  }

  addHeaders({ method, headers: requestHeaders }: Request, { headers }: Response): void {
    headers.append("vary", "Origin");
    const origin = requestHeaders.get("origin");
    if (origin === null || !this.#origins.has(origin)) return;
    headers.set("access-control-allow-origin", origin);
    if (method === "OPTIONS" && requestHeaders.has("access-control-request-method")) {
      headers.set("access-control-allow-methods", headers.get("allow") ?? "");
      headers.set("access-control-allow-headers", REQUEST_HEADERS);
      headers.set("access-control-max-age", String(PREFLIGHT_SECONDS));
    } else headers.set("access-control-expose-headers", RESPONSE_HEADERS);
  }
}
