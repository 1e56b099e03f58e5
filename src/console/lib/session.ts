import { queryOptions, useQuery } from "@tanstack/react-query";
import type { Scope } from "../../client/index.ts";
import type { Session } from "../../contract/key-schemas.ts";
import { isSignedOut, queryClient, request } from "./api.ts";
import { closeSignInPrompt } from "./sign-in-prompt.ts";

/** Who uses the console, as the service sees it. */
export type CurrentSession = Readonly<Session>;

/** Null where a key is asked for and nobody is signed in. */
export const sessionQuery = queryOptions({
  queryKey: ["session"],
  queryFn: ({ signal }) => fetchSession(signal),
  staleTime: Number.POSITIVE_INFINITY,
});

/** Trades a key for the session cookie. Whoever shows too many wrong ones is told to wait, and not made to. */
export async function createSession(secret: string): Promise<void> {
  await request("/api/session", { method: "POST", body: { key: secret }, retries: 0 });
  closeSignInPrompt();
}

/** Nobody is signed in any more. A page that begins anew has nothing in its memory of what was seen. */
export function reloadPage(): void {
  location.reload();
}

/** After a change to the key that one is signed in with: whether one still is. If not, the way leads to where one signs in. */
export async function isStillSignedIn(): Promise<boolean> {
  const session = await fetchSession();
  if (session) queryClient.setQueryData(sessionQuery.queryKey, session);
  else reloadPage();
  return session !== null;
}

export function useSession(): CurrentSession | null | undefined {
  return useQuery(sessionQuery).data;
}

/** Whether the caller may do this; true as long as nobody knows. */
export function useHasScope(scope: Scope): boolean {
  return useSession()?.scopes.includes(scope) ?? true;
}

async function fetchSession(signal?: AbortSignal): Promise<CurrentSession | null> {
  try {
    const answer = await request("/api/session", { ...(signal && { signal }) });
    if (isSession(answer)) return answer;
    throw new TypeError("The service did not say who is calling.");
  } catch (error) {
    if (isSignedOut(error)) return null;
    throw error;
  }
}

function isSession(value: unknown): value is CurrentSession {
  return typeof value === "object" && value !== null && "auth" in value && "scopes" in value;
}
