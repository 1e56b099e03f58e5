import { hashKey, infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { BulkSummary, Page, User } from "../../client/index.ts";
import { queryClient, roster } from "../lib/api.ts";
import { Observable, useObservable } from "../lib/observable.ts";
import { rememberLoad } from "../live/live-users.ts";
import { type ListParams, toListOptions } from "./list-params.ts";

const PAGE_SIZE = 100;
const USERS = "users";

/** The users in the table, page by page. Never refetched automatically. */
export const listQuery = (search: ListParams) =>
  infiniteQueryOptions({
    queryKey: [USERS, "list", search],
    queryFn: ({ pageParam, signal }) => {
      if (pageParam === undefined) rememberLoad(search);
      return roster.users
        .list({ ...toListOptions(search), limit: PAGE_SIZE, after: pageParam, signal })
        .page();
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }: Page) => next,
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    // The position in the list survives a visit to another view.
    gcTime: 30 * 60_000,
    refetchOnReconnect: false,
  });

/** The number of matching users. A separate query, so the list does not wait for it. */
export const countQuery = ({ q, filter, where }: ListParams) =>
  queryOptions({
    queryKey: [USERS, "count", { q, filter, where }],
    queryFn: async ({ signal }) => {
      const options = toListOptions({ q, filter, where, sort: "id" });
      return (await roster.users.list({ ...options, limit: 1, signal }).page({ count: true })).total;
    },
    placeholderData: keepPreviousData,
  });

export const userQuery = (id: number) =>
  queryOptions({
    queryKey: [USERS, "one", id],
    queryFn: ({ signal }) => roster.users.get(id, { signal }),
    // Opening a user always fetches the current version.
    staleTime: 0,
    placeholderData: () => loadedUsers().find((user) => user.id === id),
  });

/** Reloads the table from the first page. */
export async function reloadUsers(): Promise<void> {
  await queryClient.resetQueries({ queryKey: [USERS, "list"] });
  await refreshCount();
}

/** Shows the new version of a user in the table and the drawer. */
export function updateCachedUser(user: User): void {
  queryClient.setQueryData(userQuery(user.id).queryKey, user);
  updatePages((users) => users.map((loaded) => (loaded.id === user.id ? user : loaded)));
}

/** Shows newer versions of users that are loaded. */
export function showNewerUsers(users: ReadonlyMap<number, User>): void {
  if (users.size === 0) return;
  const newerOf = (loaded: User) => {
    const user = users.get(loaded.id);
    return user && user.version > loaded.version ? user : loaded;
  };
  updatePages((page) => page.map(newerOf));
  for (const { id } of users.values()) {
    queryClient.setQueryData<User>(userQuery(id).queryKey, (loaded) => loaded && newerOf(loaded));
  }
}

/** Users that this page has deleted and not restored. */
const deleted = new Observable<ReadonlySet<number>>(new Set());

export function useDeletedIds(): ReadonlySet<number> {
  return useObservable(deleted);
}

/** Removes deleted users from the table, the count and the cache. */
export function removeCachedUsers(ids: ReadonlySet<number>): void {
  deleted.set(new Set([...deleted.get(), ...ids]));
  for (const [key, count] of queryClient.getQueriesData<Count>({ queryKey: [USERS, "count"] })) {
    const [, , params] = key;
    const removed = count ? countLoaded(params, ids) : 0;
    if (count && removed > 0) queryClient.setQueryData(key, { ...count, count: count.count - removed });
  }
  updatePages((users) => users.filter(({ id }) => !ids.has(id)));
  for (const id of ids) queryClient.removeQueries({ queryKey: userQuery(id).queryKey });
  void refreshCount();
}

/** Restores deleted users, and reloads the table. */
export async function restoreUsers(ids: readonly number[]): Promise<BulkSummary> {
  const summary = await roster.users.bulk({ ids, restore: true }).summary();
  await showRestored(ids);
  return summary;
}

/** Reloads the table after users were restored. */
export function showRestored(ids: readonly number[]): Promise<void> {
  const restored = new Set(ids);
  deleted.set(new Set([...deleted.get()].filter((id) => !restored.has(id))));
  return reloadUsers();
}

interface Count {
  readonly count: number;
  readonly capped: boolean;
}

/** The number of these users in the loaded pages of a list, of which `params` is the count's part of the key. */
function countLoaded(params: unknown, ids: ReadonlySet<number>): number {
  const found = new Set<number>();
  for (const [[, , search], data] of queryClient.getQueriesData<Pages>({ queryKey: [USERS, "list"] })) {
    if (!isSameCount(search, params)) continue;
    for (const { users } of data?.pages ?? []) {
      for (const { id } of users) if (ids.has(id)) found.add(id);
    }
  }
  return found.size;
}

/** The sort does not change the count. */
function isSameCount(search: unknown, params: unknown): boolean {
  return hashKey([{ ...Object(search), sort: undefined }]) === hashKey([params]);
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
