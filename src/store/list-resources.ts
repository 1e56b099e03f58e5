import { groupList } from "./groups/group-list.ts";
import type { ListResource } from "./lists/list-resource.ts";
import { userList } from "./users/user-list.ts";

/** The lists of the store by name. */
export const listResources = { users: userList, groups: groupList } as const satisfies Readonly<
  Record<string, ListResource>
>;

export type ListName = keyof typeof listResources;

/** What each list has one of. */
export type OfEachList<T> = Readonly<Record<ListName, T>>;

export function forEachList<T>(make: (name: ListName) => T): OfEachList<T> {
  return { users: make("users"), groups: make("groups") };
}
