import { jsonHeaders, parseServiceUrl } from "./request-json.ts";
import { type ApiResponse, type Call, Transport, type TransportOptions } from "./transport.ts";
import type { ChangeOptions } from "./types.ts";

export interface ClientOptions extends TransportOptions {
  /** Where the service is; `ROSTER_URL` on a server, the page's own origin in a browser, else http://localhost:3000. */
  readonly baseUrl?: string | URL;
  /** `ROSTER_API_KEY` on a server unless given. Never in a browser. */
  readonly apiKey?: string;
  /** Whether the key may be sent over http: to another machine, where others can read it on the way. */
  readonly allowInsecure?: boolean;
}

/** One service, and the way to it. */
export class ServiceTransport extends Transport {
  readonly #base: string;
  readonly #key: string | undefined;
  readonly inBrowser = pageOrigin() !== undefined;

  constructor({ baseUrl, apiKey, allowInsecure = false, ...transport }: ClientOptions) {
    super(transport);
    const base = parseServiceUrl(
      baseUrl ?? environment("ROSTER_URL") ?? pageOrigin() ?? "http://localhost:3000",
    );
    this.#base = base.href.replace(/[?#].*$/, "").replace(/\/+$/, "");
    this.#key = checkKey(apiKey ?? environment("ROSTER_API_KEY"), base, allowInsecure);
  }

  call(...what: Parameters<ServiceTransport["request"]>): Promise<ApiResponse> {
    return this.send(this.request(...what));
  }

  /** What to send to call the API at a path of these segments. */
  request(
    method: string,
    path: readonly (string | number)[],
    { ifMatch, ifUnchanged, signal, timeout }: ChangeOptions = {},
    body?: unknown,
    more?: Record<string, string>,
    query?: URLSearchParams,
  ): Call {
    const headers = jsonHeaders(more, body !== undefined);
    if (method === "PATCH") headers.set("content-type", "application/merge-patch+json");
    if (this.#key !== undefined) headers.set("authorization", `Bearer ${this.#key}`);
    const version = ifUnchanged?.version ?? ifMatch;
    if (version !== undefined) headers.set("if-match", version === "*" ? "*" : `"${version}"`);
    const url = new URL(`${this.#base}/api/${path.map(segment).join("/")}`);
    url.search = String(query ?? "");
    return {
      method,
      url,
      headers,
      body: JSON.stringify(body),
      signal,
      timeout,
      // A merge patch done twice changes nothing more; a POST without an Idempotency-Key makes another each time, and
      // of a key the first would be left without anybody who knows it. What is meant for one version would be refused
      // the second time, though it was done the first: nobody could tell that from a conflict.
      idempotent: (method !== "POST" || headers.has("idempotency-key")) && (version ?? "*") === "*",
      hasCredentials: this.#key !== undefined,
    };
  }
}

/** One segment of a path, whatever is in it: none that leads elsewhere. */
function segment(value: string | number): string {
  const text = String(value);
  if (/^\.{0,2}$/.test(text)) throw new RangeError(`"${text}" is no id.`);
  return encodeURIComponent(text);
}

const LOOPBACK = /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/;

function checkKey(
  given: string | undefined,
  { protocol, hostname }: URL,
  allowInsecure: boolean,
): string | undefined {
  const key = given?.trim();
  if (!key) return undefined;
  if (pageOrigin() !== undefined) {
    throw new Error(
      "An API key must not be in a browser, where everybody can read it: sign in for a session cookie, or call Roster from your own server.",
    );
  }
  if (protocol !== "https:" && !LOOPBACK.test(hostname) && !allowInsecure) {
    throw new Error(
      `The API key would go to ${hostname} unencrypted: use https:, or say allowInsecure if the network is your own.`,
    );
  }
  // Headers would refuse it too, and say in the error what it is.
  if (!/^[!-~]+$/.test(key)) throw new Error("The API key holds spaces or characters that no key has.");
  return key;
}

/** Undefined outside a browser. */
function pageOrigin(): string | undefined {
  const { document, location } = globalThis;
  const worker = "WorkerGlobalScope" in globalThis && !("process" in globalThis) && !("Deno" in globalThis);
  return document !== undefined || worker ? location?.origin : undefined;
}

/** What servers have and browsers have not; declared here so that the library needs nobody's types. */
declare const process: { env?: Record<string, string | undefined> } | undefined;

function environment(name: string): string | undefined {
  const given = pageOrigin() === undefined && typeof process === "object" && process?.env?.[name];
  return given || undefined;
}
