import { queryOptions, useQuery } from "@tanstack/react-query";
import type { Scope } from "../../client/index.ts";
import type { Session } from "../../contract/key.ts";
import { request, isSignedOut, queryClient } from "./api.ts";
import { resumeSession } from "./sign-in-prompt.ts";

/** Who uses the console, as the service sees it. */
export type Who = Readonly<Session>;

/** Null where a key is asked for and nobody is signed in. */
export const whoQuery = queryOptions({
  queryKey: ["session"],
  queryFn: ({ signal }) => askWho(signal),
  staleTime: Number.POSITIVE_INFINITY,
});

/** Trades a key for the session cookie. Whoever shows too many wrong ones is told to wait, and not made to. */
export async function signInWith(secret: string): Promise<void> {
  await request("/api/session", { method: "POST", body: { key: secret }, retries: 0 });
  resumeSession();
}

/** Nobody is signed in any more. A page that begins anew has nothing in its memory of what was seen. */
export function reloadPage(): void {
  location.reload();
}

/** After a change to the key that one is signed in with: whether one still is. If not, the way leads to where one signs in. */
export async function isStillHere(): Promise<boolean> {
  const who = await askWho();
  if (who) queryClient.setQueryData(whoQuery.queryKey, who);
  else reloadPage();
  return who !== null;
}

export function useWho(): Who | null | undefined {
  return useQuery(whoQuery).data;
}

/** Whether the caller may do this; true as long as nobody knows. */
export function useMay(scope: Scope): boolean {
  return useWho()?.scopes.includes(scope) ?? true;
}

async function askWho(signal?: AbortSignal): Promise<Who | null> {
  try {
    const answer = await request("/api/session", { ...(signal && { signal }) });
    if (isWho(answer)) return answer;
    throw new TypeError("The service did not say who is calling.");
  } catch (error) {
    if (isSignedOut(error)) return null;
    throw error;
  }
}

function isWho(value: unknown): value is Who {
  return typeof value === "object" && value !== null && "auth" in value && "scopes" in value;
}
