import type { CallOptions } from "../types.ts";
import { jsonHeaders, parseServiceUrl } from "./request.ts";
import { type Call, Transport, type TransportOptions } from "./transport.ts";

export interface RequestJsonInit extends CallOptions, Omit<TransportOptions, "timeout"> {
  readonly method?: string;
  readonly headers?: HeadersInit;
  /** Sent as JSON. */
  readonly body?: unknown;
}

const IDEMPOTENT_METHODS = new Set(["GET", "HEAD", "PUT", "DELETE", "OPTIONS"]);
const CREDENTIAL_HEADER = /auth|cookie|key|token|secret/;

// A module of its own, loaded on first use. At run time it imports only the error classes from the first module.

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
