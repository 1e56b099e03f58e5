import { type Call, Transport, type TransportOptions } from "./transport.ts";
import type { CallOptions } from "./types.ts";

export interface RequestJsonInit extends CallOptions, Omit<TransportOptions, "timeout"> {
  readonly method?: string;
  readonly headers?: HeadersInit;
  /** Sent as JSON. */
  readonly body?: unknown;
}

const IDEMPOTENT_METHODS = new Set(["GET", "HEAD", "PUT", "DELETE", "OPTIONS"]);
/** The names of headers that say who calls. */
const CREDENTIAL_HEADER = /auth|cookie|key|token|secret/;

/**
 * Asks any JSON API with the same habits: looks at the status before the body, throws an `ApiError`, a `NetworkError` or
 * a `TimeoutError`, tries idempotent methods again. The answer is unknown until you have looked at it.
 */
export function requestJson(url: string | URL, init: RequestJsonInit = {}): Promise<unknown> {
  const {
    method = init.body === undefined ? "GET" : "POST",
    headers,
    body,
    signal,
    timeout,
    ...options
  } = init;
  const transport = new Transport(options);
  return transport.reportErrors(async () => {
    const sent = jsonHeaders(headers, body !== undefined);
    const call: Call = {
      method: method.toUpperCase(),
      url: parseServiceUrl(url),
      headers: sent,
      body: JSON.stringify(body),
      signal,
      timeout,
      idempotent:
        sent.has("idempotency-key") ||
        (IDEMPOTENT_METHODS.has(method.toUpperCase()) && !sent.has("if-match")),
      hasCredentials: [...sent.keys()].some((name) => CREDENTIAL_HEADER.test(name)),
    };
    return (await transport.send(call)).body;
  });
}

/** The URL of a service; without a password, which would turn up wherever URLs do. */
export function parseServiceUrl(url: string | URL): URL {
  const address = new URL(url);
  if (!/^https?:$/.test(address.protocol)) {
    throw new TypeError(`The URL begins with ${address.protocol} and not with http: or https:`);
  }
  if (address.username || address.password) {
    throw new TypeError("The URL holds a name or a password: leave them out, and say who calls in a header.");
  }
  return address;
}

export function jsonHeaders(given: HeadersInit | undefined, withBody: boolean): Headers {
  const headers = new Headers(given);
  if (!headers.has("accept")) headers.set("accept", "application/json");
  if (withBody && !headers.has("content-type")) headers.set("content-type", "application/json");
  return headers;
}
