/** The API key of a request, if any. An Authorization header of another scheme is ignored: a proxy may need it. */
export function readKey({ headers }: Request): string | undefined {
  const authorization = headers.get("authorization");
  if (authorization?.startsWith("Bearer ")) return authorization.slice(7).trim();
  if (authorization !== null && BEARER.test(authorization)) return authorization.slice(7).trim();
  return headers.get("x-api-key")?.trim() ?? undefined;
}

const BEARER = /^bearer /i;

/** The header with the token of a session. Browsers add the cookie to every request, but only the page knows the token. */
const TOKEN_HEADER = "x-session-token";

/** Browsers send a `__Host-` cookie only over https, and only to the host that set it. */
const COOKIE_NAME = /^roster_session_\d{1,5}$/;
const SECURE_COOKIE_NAME = /^__Host-roster_session_\d{1,5}$/;

/** What a request has of a session. */
export interface SessionCredentials {
  readonly token: string | undefined;
  /** By name. More than one if other servers on the same host have set cookies of this name. */
  readonly cookies: readonly SessionCookie[];
}

interface SessionCookie {
  readonly name: string;
  readonly value: string;
}

/** Whether a request has a key or the token of a session. */
export function hasCredentials(request: Request): boolean {
  return readKey(request) !== undefined || request.headers.has(TOKEN_HEADER);
}

/** The session cookies and the session token of a request. */
export function readSession({ headers }: Request, secure: boolean): SessionCredentials {
  const token = headers.get(TOKEN_HEADER)?.trim();
  const text = headers.get("cookie");
  if (text === null) return { token, cookies: [] };
  const pattern = secure ? SECURE_COOKIE_NAME : COOKIE_NAME;
  const cookies = text.split(";").flatMap((pair) => {
    const equals = pair.indexOf("=");
    const name = pair.slice(0, Math.max(0, equals)).trimStart();
    return pattern.test(name) ? [{ name, value: pair.slice(equals + 1).trimEnd() }] : [];
  });
  return { token, cookies };
}

/**
 * The name of the session cookie of the request's host and port. Cookies are shared by all ports of a host: without the
 * port in the name, two services on one host would overwrite each other's cookie.
 */
export function cookieName({ headers }: Request, secure: boolean): string {
  const port = /:(\d{1,5})$/.exec(headers.get("host") ?? "")?.[1] ?? (secure ? "443" : "80");
  return `${secure ? "__Host-" : ""}roster_session_${port}`;
}

/** The Set-Cookie value of a session. An empty value with 0 seconds deletes the cookie. */
export function sessionCookie({ name, value }: SessionCookie, seconds: number, secure: boolean): string {
  const attributes = `Path=/; HttpOnly; SameSite=Strict; Max-Age=${seconds}`;
  return `${name}=${value}; ${attributes}${secure ? "; Secure" : ""}`;
}
