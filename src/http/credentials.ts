/** The key that a request shows, if any. What else Authorization may hold is for somebody else, such as a proxy. */
export function readKey({ headers }: Request): string | undefined {
  const authorization = headers.get("authorization");
  if (authorization?.startsWith("Bearer ")) return authorization.slice(7).trim();
  if (authorization !== null && BEARER.test(authorization)) return authorization.slice(7).trim();
  return headers.get("x-api-key")?.trim() ?? undefined;
}

const BEARER = /^bearer /i;

/** What a browser keeps a session in. One that came by https goes back by https only, to this host only. */
const cookieName = (secure: boolean) => (secure ? "__Host-roster_session" : "roster_session");

/** What the session cookie of a request holds, if it has one. */
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

/** A Set-Cookie that gives the browser a session; an empty one takes it away. */
export function sessionCookie(token: string, seconds: number, secure: boolean): string {
  const attributes = `Path=/; HttpOnly; SameSite=Strict; Max-Age=${seconds}`;
  return `${cookieName(secure)}=${token}; ${attributes}${secure ? "; Secure" : ""}`;
}

const SAFE = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * Whether a browser sent the request for one of our own pages, or for a person who typed the address. Browsers say so;
 * whoever says nothing may at most look.
 */
export function isFromOwnPage({ method, headers }: Request): boolean {
  const safe = SAFE.has(method);
  const site = headers.get("sec-fetch-site");
  if (site !== null) return site === "same-origin" || (site === "none" && safe);
  const origin = headers.get("origin");
  if (origin === null) return safe;
  return URL.canParse(origin) && new URL(origin).host === headers.get("host");
}
