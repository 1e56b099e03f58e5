import { ProblemError } from "../../domain/problem-error.ts";
import type { ClientAddress } from "./client-address.ts";
import { readKey } from "./credentials.ts";

const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);

/** Checks which page sent a request, by the headers that browsers set and pages cannot change. */
export class OriginCheck {
  readonly #allowedOrigins: ReadonlySet<string>;
  readonly #addresses: ClientAddress;

  /** `allowedOrigins` may send requests with a key. */
  constructor(allowedOrigins: readonly string[], addresses: ClientAddress) {
    this.#allowedOrigins = new Set(allowedOrigins);
    this.#addresses = addresses;
  }

  /**
   * Whether the request comes from the service's own pages, or from an address that a person entered in a browser. A
   * request without Sec-Fetch-Site and Origin counts as such only if its method is safe.
   */
  isSameOrigin(request: Request): boolean {
    const { method, headers } = request;
    const isSafe = SAFE_METHODS.has(method);
    const site = headers.get("sec-fetch-site");
    if (site !== null) return site === "same-origin" || (site === "none" && isSafe);
    const origin = headers.get("origin");
    if (origin === null) return isSafe;
    const scheme = this.#addresses.isSecure(request) ? "https" : "http";
    const own = `${scheme}://${headers.get("host")}`;
    return URL.canParse(origin) && URL.canParse(own) && new URL(origin).origin === new URL(own).origin;
  }

  /**
   * Throws `cross-site` if a page of another origin sends the request, even one that ROSTER_CORS_ORIGINS allows: it must not sign in its
   * visitor. Programs send neither header.
   */
  rejectForeignPages(request: Request): void {
    const isFromBrowser = request.headers.has("sec-fetch-site") || request.headers.has("origin");
    if (isFromBrowser && !this.isSameOrigin(request)) throw new ProblemError("cross-site");
  }

  /**
   * Throws `cross-site` if a page of another origin sends a write or a key, and ROSTER_CORS_ORIGINS does not allow that
   * origin. Requests of programs have no Sec-Fetch-Site.
   */
  rejectOtherOrigins(request: Request): void {
    const { method, headers } = request;
    const site = headers.get("sec-fetch-site");
    if (site !== "cross-site" && site !== "same-site") return;
    if (SAFE_METHODS.has(method) && readKey(request) === undefined) return;
    if (this.#allowedOrigins.has(headers.get("origin") ?? "")) return;
    throw new ProblemError("cross-site");
  }
}
