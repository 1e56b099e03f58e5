import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { Page, User } from "../../client/index.ts";
import { queryClient, roster } from "../lib/api.ts";
import { type ListParams, toListOptions } from "./list-params.ts";

const PAGE = 100;
const USERS = "users";

/** The users of the table, a page at a time. They stay as they are until somebody asks for them anew. */
export const listQuery = (search: ListParams) =>
  infiniteQueryOptions({
    queryKey: [USERS, "list", search],
    queryFn: ({ pageParam, signal }) =>
      roster.users.list({ ...toListOptions(search), limit: PAGE, after: pageParam, signal }).page(),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }: Page) => next,
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnReconnect: false,
  });

/** How many there are: asked for beside the list, which need not wait for it. */
export const countQuery = ({ q, where }: ListParams) =>
  queryOptions({
    queryKey: [USERS, "count", { q, where }],
    queryFn: async ({ signal }) => {
      const options = toListOptions({ q, where, sort: "id" });
      return (await roster.users.list({ ...options, limit: 1, signal }).page({ count: true })).total;
    },
    placeholderData: keepPreviousData,
  });

export const userQuery = (id: number) =>
  queryOptions({
    queryKey: [USERS, "one", id],
    queryFn: ({ signal }) => roster.users.get(id, { signal }),
    // Who opens a user wants it as it is now.
    staleTime: 0,
    placeholderData: () => loadedUsers().find((user) => user.id === id),
  });

/** Shows what the service has now, from the beginning. */
export async function reloadUsers(): Promise<void> {
  await queryClient.resetQueries({ queryKey: [USERS, "list"] });
  await refreshCount();
}

/** A user has changed: wherever it stands, it is shown as it is now. */
export function updateCachedUser(user: User): void {
  queryClient.setQueryData(userQuery(user.id).queryKey, user);
  updatePages((users) => users.map((each) => (each.id === user.id ? user : each)));
}

/** Users are gone: they stand nowhere any more. */
export function removeCachedUsers(ids: ReadonlySet<number>): void {
  updatePages((users) => users.filter(({ id }) => !ids.has(id)));
  for (const id of ids) queryClient.removeQueries({ queryKey: userQuery(id).queryKey });
  void refreshCount();
}

function refreshCount(): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: [USERS, "count"] });
}

interface Pages {
  readonly pages: readonly Page[];
  readonly pageParams: readonly unknown[];
}

function updatePages(change: (users: User[]) => User[]): void {
  queryClient.setQueriesData<Pages>({ queryKey: [USERS, "list"] }, (data) => {
    if (!data) return data;
    return { ...data, pages: data.pages.map((page) => ({ ...page, users: change(page.users) })) };
  });
}

function loadedUsers(): User[] {
  return queryClient
    .getQueriesData<Pages>({ queryKey: [USERS, "list"] })
    .flatMap(([, data]) => data?.pages ?? [])
    .flatMap(({ users }) => users);
}
