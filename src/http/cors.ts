/** What a page of another origin may send and see, where that origin was named. Cookies are never part of it. */
const REQUEST_HEADERS =
  "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, X-API-Key, X-Request-Id";
const ANSWER_HEADERS =
  "ETag, Idempotency-Replayed, Link, Location, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id, X-Total-Count, X-Total-Count-Capped";
const PREFLIGHT_SECONDS = 600;

/** Lets pages of the named origins read answers. Without it no answer says anything of the kind. */
export class Cors {
  readonly #origins: ReadonlySet<string>;

  constructor(origins: readonly string[]) {
    this.#origins = new Set(origins);
  }

  mark({ method, headers: asked }: Request, { headers }: Response): void {
    headers.append("vary", "Origin");
    const origin = asked.get("origin");
    if (origin === null || !this.#origins.has(origin)) return;
    headers.set("access-control-allow-origin", origin);
    if (method === "OPTIONS" && asked.has("access-control-request-method")) {
      headers.set("access-control-allow-methods", headers.get("allow") ?? "");
      headers.set("access-control-allow-headers", REQUEST_HEADERS);
      headers.set("access-control-max-age", String(PREFLIGHT_SECONDS));
    } else headers.set("access-control-expose-headers", ANSWER_HEADERS);
  }
}
