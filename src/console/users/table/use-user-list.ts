import { useQuery } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useState } from "react";
import type { User } from "../../../client/index.ts";
import { listLimits } from "../../../contract/listing.ts";
import { promptIfSignedOut, queryClient } from "../../lib/api.ts";
import { itemAt, lengthOf, nextRequest, type Range } from "../../lib/sparse-list.ts";
import type { ListParams } from "../list-params.ts";
import { countQuery, type LoadedUsers, listQuery, loadPage } from "../queries.ts";

/** How long a place is visible before its users are loaded: a drag of the scrollbar passes many places. */
const SETTLE_MS = 60;
/** Users per request for a long range, such as one that is selected. */
const LONG_PAGE = 900;

/** The list of a search, as far as it is loaded. While a new list loads, the one before is shown. */
export function useUserList(search: ListParams) {
  const { data, error, isPending, isFetching, isPlaceholderData, refetch } = useQuery(listQuery(search));
  // The count of the new list loads while the old list is shown.
  const next = useQuery(countQuery(search));
  const shown = useQuery({ ...countQuery(data?.search ?? search), enabled: data !== undefined });
  const count = isPlaceholderData ? shown.data : next.data;
  // No page can be reached by an offset beyond the limit.
  const counted = Math.min(count?.count ?? 0, listLimits.offset);
  return {
    data,
    /** The number of users, as far as it is known. */
    length: data ? lengthOf(data.list, counted) : 0,
    count,
    error,
    isPending,
    /** Another list, or this one, is being loaded. */
    isLoading: isFetching,
    /** The list of the search before is shown. */
    isOld: isPlaceholderData,
    retry: () => void refetch(),
  };
}

/** Loads the pages that a visible range lacks, one after the other. */
export function useMissingPages(
  { search, list }: Pick<LoadedUsers, "search" | "list">,
  range: Range,
  isActive: boolean,
) {
  const [failure, setFailure] = useState<{ readonly of: string; readonly error: unknown }>();
  const request = isActive ? nextRequest(list, range) : undefined;
  const wanted = request && JSON.stringify([search, request]);
  const hasFailed = failure !== undefined && failure.of === wanted;
  const load = useEffectEvent(async (of: string, signal: AbortSignal) => {
    if (!request) return;
    try {
      await loadPage(search, request, signal);
    } catch (error) {
      if (signal.aborted) return;
      promptIfSignedOut(error);
      setFailure({ of, error });
    }
  });
  const waitMs = request?.after === undefined ? SETTLE_MS : 0;
  useEffect(() => {
    if (!wanted || hasFailed) return;
    const stop = new AbortController();
    const timer = setTimeout(() => void load(wanted, stop.signal), waitMs);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [wanted, hasFailed, waitMs]);
  return {
    error: hasFailed ? failure.error : undefined,
    retry: () => setFailure(undefined),
  };
}

/** Loads a range, and returns its users. */
export async function loadRange(search: ListParams, range: Range): Promise<User[]> {
  const { signal } = new AbortController();
  let list = queryClient.getQueryData(listQuery(search).queryKey)?.list;
  for (;;) {
    const request = list && nextRequest(list, range, LONG_PAGE);
    if (!request) break;
    list = await loadPage(search, request, signal);
  }
  const users: User[] = [];
  for (let position = range.first; list && position < range.end; position++) {
    const user = itemAt(list, position);
    if (user) users.push(user);
  }
  return users;
}
