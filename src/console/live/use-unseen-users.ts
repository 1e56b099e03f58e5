import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { User } from "../../client/index.ts";
import { roster } from "../lib/api.ts";
import { isFiltered, type ListParams, toListOptions } from "../users/list-params.ts";
import { knownTo, ownUsers, useListChanges } from "./live-users.ts";

/** A filter expression names at most this many users one by one. */
const MAX_NAMED = 20;

interface UnseenUsers {
  /** Users that the list would have now. */
  readonly added: number;
  /** Users in the list that others have deleted. */
  readonly deleted: number;
  /** Whether there can be more changes than these. */
  readonly hasMore: boolean;
}

/** What has changed since the list was loaded. */
export function useUnseenUsers(search: ListParams, loaded: readonly User[]): UnseenUsers {
  const { created, deleted, gaps } = useListChanges(search);
  const before = knownTo(search);
  const loadedIds = useMemo(() => new Set(loaded.map(({ id }) => id)), [loaded]);
  const isOwn = (id: number) => search.membersOf === undefined && ownUsers.has(id);
  const isNew = (id: number) => !loadedIds.has(id) && !deleted.has(id) && !isOwn(id);
  const ids = [...new Set(created.slice(before.created))].filter(isNew);
  const filtered = isFiltered(search);
  const matching = useQuery({
    queryKey: ["unseen-users", search, ids],
    queryFn: async ({ signal }) => {
      const options = {
        ...toListOptions({ ...search, filter: narrow(search.filter, ids) }),
        limit: 1,
        signal,
      };
      return (await roster.users.list(options).page({ count: true })).total?.count ?? 0;
    },
    enabled: filtered && ids.length > 0,
  });
  return {
    added: filtered ? (ids.length > 0 ? (matching.data ?? 0) : 0) : ids.length,
    deleted: [...loadedIds].filter((id) => deleted.has(id)).length,
    hasMore: gaps > before.gaps,
  };
}

/** The filter, and only these users. */
function narrow(filter: string, ids: readonly number[]): string {
  const named =
    ids.length > MAX_NAMED ? `id ge ${Math.min(...ids)}` : ids.map((id) => `id eq ${id}`).join(" or ");
  return filter === "" ? named : `(${filter}) and (${named})`;
}
