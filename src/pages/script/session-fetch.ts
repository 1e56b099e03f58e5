// Requests of the service's pages. A session is a cookie, which browsers send to every port of the host, and a token, which
// only pages of this origin can read.

const NAME = "roster.session";
const SESSION_PATH = "/api/session";
const TOKEN_HEADER = "X-Session-Token";

/** Used if storage is blocked: the session then lasts until the page is closed. */
let unstoredToken: string | undefined;

/**
 * Sends a request with the token of the session. Stores the token of a new session, and removes it on sign-out. `send` replaces
 * `fetch`.
 */
export async function sessionFetch(
  request: Request,
  init?: RequestInit,
  send: (request: Request, init?: RequestInit) => Promise<Response> = fetch,
): Promise<Response> {
  const token = loadToken();
  if (token !== undefined) request.headers.set(TOKEN_HEADER, token);
  const response = await send(request, init);
  if (response.ok && new URL(request.url).pathname === SESSION_PATH) await updateToken(request, response);
  const newToken = loadToken();
  const isOutdated = response.status === 401 && newToken !== undefined && newToken !== token;
  if (!isOutdated || request.body !== null) return response;
  // Another tab has signed in during this request.
  request.headers.set(TOKEN_HEADER, newToken);
  return fetch(request, init);
}

async function updateToken({ method }: Request, response: Response): Promise<void> {
  if (method === "DELETE") return saveToken(undefined);
  if (method !== "POST") return;
  const session: unknown = await response.clone().json();
  const hasToken = typeof session === "object" && session !== null && "token" in session;
  if (hasToken && typeof session.token === "string") saveToken(session.token);
}

function loadToken(): string | undefined {
  try {
    return localStorage.getItem(NAME) ?? unstoredToken;
  } catch {
    return unstoredToken;
  }
}

function saveToken(token: string | undefined): void {
  unstoredToken = token;
  try {
    if (token === undefined) localStorage.removeItem(NAME);
    else localStorage.setItem(NAME, token);
  } catch {
    // Storage is blocked or full.
  }
}
