import type { ChangeOptions } from "../types.ts";
import { jsonHeaders, parseServiceUrl } from "./request.ts";
import { type ApiResponse, type Call, Transport, type TransportOptions } from "./transport.ts";

export interface ClientOptions extends TransportOptions {
  /** The URL of the service. Default: `ROSTER_URL`; in a browser, the page's origin; else http://localhost:3000. */
  readonly baseUrl?: string | URL;
  /** The API key. Default: `ROSTER_API_KEY`. Throws in a browser. */
  readonly apiKey?: string;
  /** Allow sending the key unencrypted (http:) to another machine, where others may read it in transit. */
  readonly allowInsecure?: boolean;
}

/** Sends calls to one Roster service, with its API key. */
export class ServiceTransport extends Transport {
  readonly #baseUrl: string;
  readonly #apiKey: string | undefined;
  readonly inBrowser = pageOrigin() !== undefined;

  constructor({ baseUrl, apiKey, allowInsecure = false, ...options }: ClientOptions) {
    super(options);
    const url = parseServiceUrl(
      baseUrl ?? environmentVariable("ROSTER_URL") ?? pageOrigin() ?? "http://localhost:3000",
    );
    this.#baseUrl = url.href.replace(/[?#].*$/, "").replace(/\/+$/, "");
    this.#apiKey = checkKey(apiKey ?? environmentVariable("ROSTER_API_KEY"), url, allowInsecure);
  }

  call(...request: Parameters<ServiceTransport["buildCall"]>): Promise<ApiResponse> {
    return this.send(this.buildCall(...request));
  }

  buildCall(
    method: string,
    path: readonly (string | number)[],
    { ifMatch, ifUnchanged, signal, timeout }: ChangeOptions = {},
    body?: unknown,
    extraHeaders?: Record<string, string>,
    query?: URLSearchParams,
  ): Call {
    const patch = method === "PATCH" && { "content-type": "application/merge-patch+json" };
    const headers = jsonHeaders({ ...patch, ...extraHeaders }, body !== undefined);
    if (this.#apiKey !== undefined) headers.set("authorization", `Bearer ${this.#apiKey}`);
    const version = ifUnchanged?.version ?? ifMatch;
    if (version !== undefined) headers.set("if-match", version === "*" ? "*" : `"${version}"`);
    const url = new URL(`${this.#baseUrl}/api/${path.map(encodeSegment).join("/")}`);
    url.search = String(query ?? "");
    return {
      method,
      url,
      headers,
      body: JSON.stringify(body),
      signal,
      timeout,
      // A merge patch is idempotent. A POST without an Idempotency-Key creates another record each time. With If-Match a
      // version, a retry after success gets 412, which looks like a conflict.
      idempotent: (method !== "POST" || headers.has("idempotency-key")) && (version ?? "*") === "*",
      hasCredentials: this.#apiKey !== undefined,
    };
  }
}

/** Encodes a path segment. Rejects "", "." and "..", which would change the path. */
function encodeSegment(value: string | number): string {
  const text = String(value);
  if (/^\.{0,2}$/.test(text)) throw new RangeError(`"${text}" is not a valid id.`);
  return encodeURIComponent(text);
}

/** Whether only programs on the same machine reach the host. */
export function isLoopback(hostname: string): boolean {
  return /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}

function checkKey(
  apiKey: string | undefined,
  { protocol, hostname }: URL,
  allowInsecure: boolean,
): string | undefined {
  const key = apiKey?.trim();
  if (!key) return undefined;
  if (pageOrigin() !== undefined) {
    throw new Error(
      "Do not use an API key in a browser, where anyone can read it: call Roster from your server.",
    );
  }
  if (protocol !== "https:" && !isLoopback(hostname) && !allowInsecure) {
    throw new Error(
      `The API key would be sent to ${hostname} unencrypted. Use https:, or set allowInsecure if you trust the network.`,
    );
  }
  // `Headers` would reject it too, with an error that contains the key.
  if (!/^[!-~]+$/.test(key)) throw new Error("The API key contains spaces or invalid characters.");
  return key;
}

/** Undefined outside a browser. */
function pageOrigin(): string | undefined {
  const { document, location } = globalThis;
  const isWorker = "WorkerGlobalScope" in globalThis && !("process" in globalThis) && !("Deno" in globalThis);
  return document !== undefined || isWorker ? location?.origin : undefined;
}

/** Declared here, because the client depends on no platform's types. Undefined in browsers. */
declare const process: { env?: Record<string, string | undefined> } | undefined;

function environmentVariable(name: string): string | undefined {
  const value = pageOrigin() === undefined && typeof process === "object" && process?.env?.[name];
  return value || undefined;
}
