import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { User } from "../../client/index.ts";
import { isProblem, roster } from "../lib/api.ts";

const MAX_USERS = 6;

/** The users whose name or email has all words of the text, and the user with this id. */
export const foundUsersQuery = (text: string) =>
  queryOptions({
    queryKey: ["palette", text],
    queryFn: async ({ signal }) => {
      const [byId, page] = await Promise.all([
        findById(text, signal),
        roster.users.list({ q: text, limit: MAX_USERS, signal }).page(),
      ]);
      return [...byId, ...page.users.filter(({ id }) => id !== byId[0]?.id)].slice(0, MAX_USERS);
    },
    enabled: text !== "",
    placeholderData: keepPreviousData,
  });

async function findById(text: string, signal: AbortSignal): Promise<User[]> {
  if (!/^#?[1-9]\d{0,14}$/.test(text)) return [];
  try {
    return [await roster.users.get(text.replace("#", ""), { signal })];
  } catch (error) {
    if (isProblem(error, "user-not-found")) return [];
    throw error;
  }
}
