import type { ListResource } from "./lists/list-resource.ts";
import { userList } from "./users/user-list.ts";

/** The lists of the store by name. */
export const listResources = { users: userList } as const satisfies Readonly<Record<string, ListResource>>;

export type ListName = keyof typeof listResources;
