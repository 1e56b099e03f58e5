import { queryOptions, useQuery } from "@tanstack/react-query";
import type { Scope } from "../../client/index.ts";
import type { Session } from "../../contract/keys/key-schemas.ts";
import { isSignedOut, queryClient, request, sendWithKey } from "./api.ts";
import { loadPreference, savePreference } from "./preferences.ts";
import { closeAfterSignIn } from "./sign-in-prompt.ts";

/** Says in localStorage that this browser had a session, or needed none. */
const HAD_SESSION = "roster.had-session";

/** How the service identifies the person who uses the console. */
export type CurrentSession = Readonly<Session>;

/** Null if the service requires a key and nobody is signed in. */
export const sessionQuery = queryOptions({
  queryKey: ["session"],
  queryFn: ({ signal }) => fetchSession(signal),
  staleTime: Number.POSITIVE_INFINITY,
});

/** Exchanges a key for the session cookie. No retries: after too many wrong keys, the form shows the error at once. */
export async function createSession(secret: string): Promise<void> {
  await request("/api/session", { method: "POST", body: { key: secret }, retries: 0 });
  closeAfterSignIn();
}

/** What a key may do. Throws a `RejectedKeyError` if the service does not accept the key. */
export async function readSessionOf(secret: string): Promise<CurrentSession> {
  return sendWithKey(secret, async (withKey) => toSession(await request("/api/session", { fetch: withKey })));
}

/** Whether the service is likely to accept requests before the session has loaded. */
export function hadSession(): boolean {
  return loadPreference(HAD_SESSION) !== undefined;
}

/** Call after signing out. Reloading clears all data from memory. */
export function reloadPage(): void {
  savePreference(HAD_SESSION, undefined);
  location.reload();
}

/** Call after changing the key of the current session. If the session has ended, reloads the page to sign in. */
export async function isStillSignedIn(): Promise<boolean> {
  const session = await fetchSession();
  if (session) queryClient.setQueryData(sessionQuery.queryKey, session);
  else reloadPage();
  return session !== null;
}

export function useSession(): CurrentSession | null | undefined {
  return useQuery(sessionQuery).data;
}

/** Whether the session has one of the scopes. True while the session is loading. */
export function useHasScope(...choices: readonly Scope[]): boolean {
  return useSession()?.scopes.some((scope) => choices.includes(scope)) ?? true;
}

/** Whether deleted users can be restored. Otherwise a delete erases them. */
export function keepsDeletedUsers(): boolean {
  return queryClient.getQueryData(sessionQuery.queryKey)?.deletedDays !== 0;
}

async function fetchSession(signal?: AbortSignal): Promise<CurrentSession | null> {
  try {
    const session = toSession(await request("/api/session", { ...(signal && { signal }) }));
    savePreference(HAD_SESSION, "true");
    return session;
  } catch (error) {
    if (!isSignedOut(error)) throw error;
    savePreference(HAD_SESSION, undefined);
    return null;
  }
}

function toSession(response: unknown): CurrentSession {
  if (isSession(response)) return response;
  throw new TypeError("Unexpected response from /api/session.");
}

function isSession(value: unknown): value is CurrentSession {
  return typeof value === "object" && value !== null && "auth" in value && "scopes" in value;
}
