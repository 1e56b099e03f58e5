import type { Log } from "../../telemetry/log.ts";
import type { RequestContext } from "../request-context.ts";
import type { ClientAddress } from "./client-address.ts";
import { isValidHost } from "./host-check.ts";

/** Headers that a proxy adds. A request with one of them may have reached the proxy at another scheme or host. */
const FORWARDING_HEADERS = [
  "forwarded",
  "via",
  "x-forwarded-for",
  "x-forwarded-host",
  "x-forwarded-proto",
  "x-real-ip",
];

/**
 * Finds the URL at which the caller reaches the service, for Link and Location. If the URL is not certain, links stay
 * relative: an http: link behind a proxy with TLS would make callers send their keys unencrypted.
 */
export class PublicUrl {
  readonly #configured: string;
  readonly #addresses: ClientAddress;
  readonly #log: Log;
  readonly #logged = new Set<string>();

  /** `configured` is the URL for all callers, without a slash at the end; empty to find it for each request. */
  constructor(configured: string, addresses: ClientAddress, log: Log) {
    this.#configured = configured;
    this.#addresses = addresses;
    this.#log = log;
  }

  /** What to put in front of a path of the service. Empty for a relative link. */
  findBase(context: RequestContext): string {
    if (this.#configured !== "") return this.#configured;
    const { headers } = context.request;
    if (FORWARDING_HEADERS.some((name) => headers.has(name))) return this.#findProxyBase(context.request);
    return context.hasHost ? context.url.slice(0, context.url.indexOf("/", "https://".length)) : "";
  }

  /** The scheme and host that a trusted proxy names. */
  #findProxyBase(request: Request): string {
    if (!this.#addresses.isFromTrustedProxy(request)) {
      return this.#stayRelative("a request came through a proxy that ROSTER_TRUSTED_PROXIES does not list");
    }
    const scheme = lastValue(request, "x-forwarded-proto");
    if (scheme !== "http" && scheme !== "https") {
      return this.#stayRelative("the trusted proxy sends no X-Forwarded-Proto with http or https");
    }
    const host = lastValue(request, "x-forwarded-host") ?? request.headers.get("host") ?? "";
    if (host === "" || !isValidHost(host)) {
      return this.#stayRelative("the trusted proxy sends no valid X-Forwarded-Host or Host");
    }
    return new URL(`${scheme}://${host}`).origin;
  }

  /** Logs each cause once. */
  #stayRelative(cause: string): string {
    if (!this.#logged.has(cause)) {
      this.#logged.add(cause);
      const advice = "correct the proxy's settings, or set ROSTER_PUBLIC_URL";
      this.#log.write("warn", "URLs in Link and Location are relative", { cause: `${cause}; ${advice}` });
    }
    return "";
  }
}

/** The value that the nearest proxy has added. */
function lastValue({ headers }: Request, name: string): string | undefined {
  return headers.get(name)?.split(",").at(-1)?.trim();
}
