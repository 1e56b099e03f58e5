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
