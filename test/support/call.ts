/** Every test sends its HTTP requests with `call(path, request)`, which is `fetch` to one service, with `json` for a JSON body. */
export type Call = (path: string, request?: TestRequest) => Promise<Response>;

export interface TestRequest extends Omit<RequestInit, "headers"> {
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Sent as JSON, with its Content-Type unless `headers` has another. */
  readonly json?: unknown;
}

/** A service that a test sends requests to. */
export interface Callable {
  readonly call: Call;
}

/** Calls the service at this URL. A path can also be a link of the service, with its origin. */
export function callAt(url: string, defaults: BunFetchRequestInit = {}): Call {
  return (path, { json, headers = {}, ...init } = {}) =>
    fetch(path.startsWith("/") ? url + path : path, {
      ...defaults,
      ...init,
      ...(json !== undefined && { body: JSON.stringify(json) }),
      headers: { ...(json !== undefined && { "content-type": "application/json" }), ...headers },
    });
}
