import { hashKey, keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { BulkSummary, User } from "../../client/index.ts";
import { queryClient, roster } from "../lib/api.ts";
import { Observable, useObservable } from "../lib/observable.ts";
import {
  addPage,
  loadedItems,
  mapItems,
  PAGE_SIZE,
  type PageRequest,
  removeItems,
  type SparseList,
  startList,
} from "../lib/sparse-list.ts";
import { ownUsers, rememberLoad } from "../live/live-users.ts";
import { isFiltered, type ListParams, toListOptions } from "./list-params.ts";
import { withdrawRestores } from "./undo/undo.ts";

const USERS = "users";

/** The users in the table, as far as they are loaded. */
export interface LoadedUsers {
  readonly search: ListParams;
  readonly list: SparseList<User>;
  /** Users that have changed since they were loaded. They stay where they are. */
  readonly changed: ReadonlySet<number>;
}

/** The first users in the table. `loadPage` adds others. Never refetched automatically. */
export const listQuery = (search: ListParams) =>
  queryOptions({
    queryKey: [USERS, "list", search],
    queryFn: async ({ signal }): Promise<LoadedUsers> => {
      rememberLoad(search);
      const { users, next } = await roster.users
        .list({ ...toListOptions(search), limit: PAGE_SIZE, signal })
        .page();
      return { search, list: startList({ items: users, next }), changed: new Set() };
    },
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    // The position in the list survives a visit to another view.
    gcTime: 30 * 60_000,
    refetchOnReconnect: false,
  });

/** Loads another page of the table. Returns the list with the page. */
export async function loadPage(
  search: ListParams,
  request: PageRequest,
  signal: AbortSignal,
): Promise<SparseList<User> | undefined> {
  const { start, limit, after } = request;
  const position = after === undefined ? { offset: start } : { after };
  const page = await roster.users.list({ ...toListOptions(search), limit, ...position, signal }).page();
  const loaded = queryClient.setQueryData<LoadedUsers>(
    listQuery(search).queryKey,
    (data) => data && { ...data, list: addPage(data.list, request, { items: page.users, next: page.next }) },
  );
  return loaded?.list;
}

/** The number of matching users. A separate query, so the list does not wait for it. */
export const countQuery = ({ q, filter, where, membersOf }: ListParams) =>
  queryOptions({
    queryKey: [USERS, "count", { q, filter, where, membersOf }],
    queryFn: async ({ signal }) => {
      const search = { q, filter, where, membersOf, sort: "id" };
      const one = { limit: 1, signal };
      // Without filters, the service knows how many members a group has, however many these are.
      const list =
        membersOf === undefined || isFiltered(search)
          ? roster.users.list({ ...toListOptions(search), ...one })
          : roster.groups.members(membersOf, one);
      return (await list.page({ count: true })).total;
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

/** Loads the table again, which shows the users that it has until then. */
export async function reloadUsers(): Promise<void> {
  queryClient.removeQueries({ queryKey: [USERS, "list"], type: "inactive" });
  const list = queryClient.refetchQueries({ queryKey: [USERS, "list"], type: "active" });
  await Promise.all([list, refreshCount()]);
}

/** Shows the new version of a user in the table and the drawer. */
export function updateCachedUser(user: User): void {
  queryClient.setQueryData(userQuery(user.id).queryKey, user);
  replaceLoaded((loaded) => (loaded.id === user.id ? user : loaded));
}

/** Shows newer versions of users that are loaded. */
export function showNewerUsers(users: ReadonlyMap<number, User>): void {
  if (users.size === 0) return;
  const newerOf = (loaded: User) => {
    const user = users.get(loaded.id);
    return user && user.version > loaded.version ? user : loaded;
  };
  replaceLoaded(newerOf);
  for (const { id } of users.values()) {
    queryClient.setQueryData<User>(userQuery(id).queryKey, (loaded) => loaded && newerOf(loaded));
  }
}

/** Reads open users again, of whom others have deleted or restored some. Without ids: all that are open. */
export function rereadOpenUsers(ids?: ReadonlySet<number>): void {
  void queryClient.invalidateQueries({
    queryKey: [USERS, "one"],
    type: "active",
    predicate: ({ queryKey: [, , id] }) => ids === undefined || (typeof id === "number" && ids.has(id)),
  });
}

/** Users that this page has deleted and not restored. */
const deleted = new Observable<ReadonlySet<number>>(new Set());

export function useDeletedIds(): ReadonlySet<number> {
  return useObservable(deleted);
}

/** Removes deleted users from the table, the count and the cache. */
export function removeCachedUsers(ids: ReadonlySet<number>): void {
  deleted.set(new Set([...deleted.get(), ...ids]));
  removeFromLists(ids, () => true);
  for (const id of ids) queryClient.removeQueries({ queryKey: userQuery(id).queryKey });
  void refreshCount();
}

/** Removes users from the tables of the members of a group. */
export function removeCachedMembers(group: number, ids: ReadonlySet<number>): void {
  removeFromLists(ids, ({ membersOf }) => membersOf === group);
  void refreshCount();
}

/** Removes users from some of the lists, and from their counts. */
function removeFromLists(ids: ReadonlySet<number>, isMeant: (search: ListParams) => boolean): void {
  const meant = loadedLists().filter(({ search }) => isMeant(search));
  for (const [key, count] of queryClient.getQueriesData<Count>({ queryKey: [USERS, "count"] })) {
    const [, , params] = key;
    const removed = count ? countLoaded(meant, params, ids) : 0;
    if (count && removed > 0) queryClient.setQueryData(key, { ...count, count: count.count - removed });
  }
  updateLists((data) => (isMeant(data.search) ? { ...data, list: removeItems(data.list, ids) } : data));
}

/** Restores deleted users, and reloads the table. */
export async function restoreUsers(ids: readonly number[]): Promise<BulkSummary> {
  const summary = await roster.users.bulk({ ids, restore: true }).summary();
  await showRestored(ids);
  return summary;
}

/** Reloads the table after users were restored, and withdraws the offers to restore them. */
export function showRestored(ids: readonly number[]): Promise<void> {
  const restored = new Set(ids);
  withdrawRestores(restored);
  for (const id of ids) ownUsers.add(id);
  deleted.set(new Set([...deleted.get()].filter((id) => !restored.has(id))));
  return reloadUsers();
}

interface Count {
  readonly count: number;
  readonly capped: boolean;
}

/** The number of these users that are loaded in those of the lists with this count, of which `params` is its part of the key. */
function countLoaded(lists: readonly LoadedUsers[], params: unknown, ids: ReadonlySet<number>): number {
  const found = new Set<number>();
  for (const { search, list } of lists) {
    if (!isSameCount(search, params)) continue;
    for (const { id } of loadedItems(list)) if (ids.has(id)) found.add(id);
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

function replaceLoaded(replace: (loaded: User) => User): void {
  updateLists((data) => {
    const changed = new Set(data.changed);
    const list = mapItems(data.list, (loaded) => {
      const user = replace(loaded);
      if (user.version !== loaded.version) changed.add(user.id);
      return user;
    });
    return { ...data, list, changed };
  });
}

function updateLists(change: (data: LoadedUsers) => LoadedUsers): void {
  queryClient.setQueriesData<LoadedUsers>({ queryKey: [USERS, "list"] }, (data) => data && change(data));
}

function loadedLists(): LoadedUsers[] {
  return queryClient
    .getQueriesData<LoadedUsers>({ queryKey: [USERS, "list"] })
    .flatMap(([, data]) => data ?? []);
}

const loadedUsers = () => loadedLists().flatMap(({ list }) => loadedItems(list));
