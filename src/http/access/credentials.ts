/** The API key of a request, if any. An Authorization header of another scheme is ignored: a proxy may need it. */
export function readKey({ headers }: Request): string | undefined {
  const authorization = headers.get("authorization");
  if (authorization?.startsWith("Bearer ")) return authorization.slice(7).trim();
  if (authorization !== null && BEARER.test(authorization)) return authorization.slice(7).trim();
  return headers.get("x-api-key")?.trim() ?? undefined;
}

const BEARER = /^bearer /i;

/** Browsers send a `__Host-` cookie only over https, and only to the host that set it. */
const cookieName = (secure: boolean) => (secure ? "__Host-roster_session" : "roster_session");

/** The session token in the request's cookie, if any. */
export function readSessionToken({ headers }: Request, secure: boolean): string | undefined {
  const cookies = headers.get("cookie");
  if (cookies === null) return undefined;
  const start = `${cookieName(secure)}=`;
  for (const cookie of cookies.split(";")) {
    const text = cookie.trim();
    if (text.startsWith(start)) return text.slice(start.length);
  }
  return undefined;
}

/** The Set-Cookie value of a session. An empty token with 0 seconds deletes the cookie. */
export function sessionCookie(token: string, seconds: number, secure: boolean): string {
  const attributes = `Path=/; HttpOnly; SameSite=Strict; Max-Age=${seconds}`;
  return `${cookieName(secure)}=${token}; ${attributes}${secure ? "; Secure" : ""}`;
}

const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * Whether the request comes from the service's own pages, or from an address that a person entered in a browser. A
 * request without Sec-Fetch-Site and Origin counts as such only if its method is safe.
 */
export function isSameOrigin({ method, headers }: Request): boolean {
  const isSafe = SAFE_METHODS.has(method);
  const site = headers.get("sec-fetch-site");
  if (site !== null) return site === "same-origin" || (site === "none" && isSafe);
  const origin = headers.get("origin");
  if (origin === null) return isSafe;
  return URL.canParse(origin) && new URL(origin).host === headers.get("host");
}
