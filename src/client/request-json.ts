import { type Call, Transport, type TransportOptions } from "./transport.ts";
import type { CallOptions } from "./types.ts";

export interface RequestJsonInit extends CallOptions, Omit<TransportOptions, "timeout"> {
  readonly method?: string;
  readonly headers?: HeadersInit;
  /** Sent as JSON. */
  readonly body?: unknown;
}

const IDEMPOTENT_METHODS = new Set(["GET", "HEAD", "PUT", "DELETE", "OPTIONS"]);
const CREDENTIAL_HEADER = /auth|cookie|key|token|secret/;

/**
 * Calls any JSON API with the same timeouts, retries and errors: throws an `ApiError`, a `NetworkError` or a
 * `TimeoutError`, and retries idempotent methods. Check the result before you use it.
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
    const requestHeaders = jsonHeaders(headers, body !== undefined);
    const call: Call = {
      method: method.toUpperCase(),
      url: parseServiceUrl(url),
      headers: requestHeaders,
      body: JSON.stringify(body),
      signal,
      timeout,
      idempotent:
        requestHeaders.has("idempotency-key") ||
        (IDEMPOTENT_METHODS.has(method.toUpperCase()) && !requestHeaders.has("if-match")),
      hasCredentials: [...requestHeaders.keys()].some((name) => CREDENTIAL_HEADER.test(name)),
    };
    return (await transport.send(call)).body;
  });
}

/** Rejects a URL with a password, which would appear in logs and errors. */
export function parseServiceUrl(url: string | URL): URL {
  const parsed = new URL(url);
  if (!/^https?:$/.test(parsed.protocol)) {
    throw new TypeError(`The URL must begin with http: or https:, not ${parsed.protocol}`);
  }
  if (parsed.username || parsed.password) {
    throw new TypeError("The URL contains a username or password. Send credentials in a header instead.");
  }
  return parsed;
}

export function jsonHeaders(init: HeadersInit | undefined, hasBody: boolean): Headers {
  const headers = new Headers(init);
  if (!headers.has("accept")) headers.set("accept", "application/json");
  if (hasBody && !headers.has("content-type")) headers.set("content-type", "application/json");
  return headers;
}
