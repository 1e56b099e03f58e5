import { queryOptions, useQuery } from "@tanstack/react-query";
import type { Scope } from "../../client/index.ts";
import { ask, isRefusal } from "../api.ts";

/** Who uses the console, as the service sees it. */
export interface Who {
  readonly auth: "open" | "off" | "key" | "session";
  readonly key: { readonly id: number; readonly name: string } | null;
  readonly scopes: readonly Scope[];
  readonly expiresAt: string | null;
}

/** Null where a key is asked for and nobody is signed in. */
export const whoQuery = queryOptions({
  queryKey: ["session"],
  queryFn: async ({ signal }): Promise<Who | null> => {
    try {
      const answer = await ask("/api/session", { signal });
      if (isWho(answer)) return answer;
      throw new TypeError("The service did not say who is calling.");
    } catch (error) {
      if (isRefusal(error, "unauthenticated", "key-revoked", "key-expired")) return null;
      throw error;
    }
  },
  staleTime: Number.POSITIVE_INFINITY,
});

export function useWho(): Who | null | undefined {
  return useQuery(whoQuery).data;
}

/** Whether the caller may do this; true as long as nobody knows. */
export function useMay(scope: Scope): boolean {
  return useWho()?.scopes.includes(scope) ?? true;
}

function isWho(value: unknown): value is Who {
  return typeof value === "object" && value !== null && "auth" in value && "scopes" in value;
}
