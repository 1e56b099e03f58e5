import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { Group, GroupListOptions, GroupPage } from "../../client/index.ts";
import { listLimits } from "../../contract/listing.ts";
import { queryClient, roster } from "../lib/api.ts";
import { recordNames } from "../lib/record-names.ts";
import { rememberOwnVersion } from "../live/live-users.ts";
import { reloadUsers } from "../users/queries.ts";

const GROUPS = "groups";
const PAGE_SIZE = 100;
/** Groups that a field suggests. */
const MAX_FOUND = 8;

/** Search and order of the list of groups. */
export interface GroupSearch {
  readonly q: string;
  readonly sort: NonNullable<GroupListOptions["sort"]>;
}

/** The groups whose names have all words of the text, a page at a time. */
export const groupsQuery = ({ q, sort }: GroupSearch) =>
  infiniteQueryOptions({
    queryKey: [GROUPS, "list", { q, sort }],
    queryFn: ({ pageParam, signal }) =>
      roster.groups.list({ ...searchFor(q), sort, limit: PAGE_SIZE, after: pageParam, signal }).page(),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }: GroupPage) => next,
    placeholderData: keepPreviousData,
    staleTime: 0,
  });

/** How many groups a search finds. */
export const groupCountQuery = (q: string) =>
  queryOptions({
    queryKey: [GROUPS, "count", q],
    queryFn: async ({ signal }) =>
      (await roster.groups.list({ ...searchFor(q), limit: 1, signal }).page({ count: true })).total,
    placeholderData: keepPreviousData,
    staleTime: 0,
  });

export const groupQuery = (id: number) =>
  queryOptions({
    queryKey: [GROUPS, "one", id],
    queryFn: ({ signal }) => roster.groups.get(id, { signal }),
    // The page of a group always shows the current version.
    staleTime: 0,
  });

/** The groups of a user, by their names. The first page has their number. */
export const userGroupsQuery = (id: number) =>
  infiniteQueryOptions({
    queryKey: [GROUPS, "of-user", id],
    queryFn: ({ pageParam: after, signal }) => {
      const limit = after === undefined ? PAGE_SIZE : listLimits.pageSize.maximum;
      const options = { sort: "name", fields: ["name"], limit, after, signal } as const;
      return roster.users.groups(id, options).page({ count: after === undefined });
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    staleTime: 0,
  });

/** A few groups for a text: first the one with this name, then those whose names have all of its words. */
export const foundGroupsQuery = (text: string) =>
  queryOptions({
    queryKey: [GROUPS, "found", text],
    queryFn: async ({ signal }): Promise<FoundGroups> => {
      const [named, { groups }] = await Promise.all([
        text === "" ? undefined : roster.groups.find({ name: text }, { signal }),
        roster.groups.list({ ...searchFor(text), sort: "name", limit: MAX_FOUND, signal }).page(),
      ]);
      const others = groups.filter(({ id }) => id !== named?.id);
      return { groups: named ? [named, ...others] : others, isNameTaken: named !== undefined };
    },
    placeholderData: keepPreviousData,
    staleTime: 0,
  });

export interface FoundGroups {
  readonly groups: readonly Group[];
  /** Whether the text is the name of a group. */
  readonly isNameTaken: boolean;
}

/** The names of groups by their ids. A group that is deleted has none. */
export const { useNames: useGroupNames, rememberNames: rememberGroupNames } = recordNames({
  key: "group",
  scope: "groups:read",
  list: async (options) => (await roster.groups.list(options).page()).groups,
});

/** Reads groups again that are shown: after a change of groups or members. */
export async function reloadGroups(): Promise<void> {
  await queryClient.invalidateQueries({ queryKey: [GROUPS] });
}

/** Shows a newer version of a group, if the group is shown. */
export function showGroup(group: Group): void {
  queryClient.setQueryData<Group>(groupQuery(group.id).queryKey, (shown) =>
    shown && shown.version < group.version ? group : shown,
  );
}

/** Shows the group after this page has changed its members. */
export async function showOwnChange(id: number): Promise<void> {
  try {
    const group = await roster.groups.get(id);
    rememberOwnVersion(id, group.version);
    showGroup(group);
  } catch {
    // The page of the group says why.
  }
  await reloadGroups();
}

/** Shows the group and its members after this page has changed them. */
export async function showOwnMembers(id: number): Promise<void> {
  await showOwnChange(id);
  await reloadUsers();
}

/** After the group was deleted. */
export function forgetGroup(id: number): void {
  queryClient.removeQueries({ queryKey: groupQuery(id).queryKey });
  void reloadGroups();
}

/** The text as a search, within the limits of the service. */
export function searchFor(text: string): Pick<GroupListOptions, "q"> {
  const words = text.trim().split(/\s+/).slice(0, listLimits.searchWords).join(" ");
  const q = words.slice(0, listLimits.searchCharacters);
  return q === "" ? {} : { q };
}
