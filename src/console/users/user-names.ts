import { useQuery } from "@tanstack/react-query";
import { queryClient, roster } from "../lib/api.ts";
import { useHasScope } from "../lib/session.ts";

/** Users that one request asks for: a filter has at most 50 comparisons. */
const MOST_USERS = 50;

/** Null if the user is deleted or purged. */
const nameKey = (id: number) => ["user-name", id];

/** Loads the names of these users, a page at a time, for `useUserName`. Returns a reader of those that are loaded. */
export function useUserNames(ids: readonly number[]): (id: number) => string | undefined {
  const canRead = useHasScope("users:read");
  const missing = [...new Set(ids)].filter((id) => queryClient.getQueryData(nameKey(id)) === undefined);
  const asked = missing.slice(0, MOST_USERS);
  useQuery({
    queryKey: ["user-names", asked],
    enabled: canRead && asked.length > 0,
    queryFn: async ({ signal }) => {
      const options = { where: { id: asked }, fields: ["name"], limit: MOST_USERS, signal };
      const { users } = await roster.users.list(options).page();
      const names = new Map(users.map(({ id, name }) => [id, name]));
      for (const id of asked) queryClient.setQueryData(nameKey(id), names.get(id) ?? null);
      return asked.length;
    },
  });
  return (id) => queryClient.getQueryData<string | null>(nameKey(id)) ?? undefined;
}

/** The name of a user, once it is loaded. */
export function useUserName(id: number): string | undefined {
  const { data } = useQuery<string | null>({
    queryKey: nameKey(id),
    queryFn: () => null,
    enabled: false,
  });
  return data ?? undefined;
}
