import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { DeletedPage, DeletedUser, EventActor } from "../../client/index.ts";
import { queryClient, roster } from "../lib/api.ts";

const PAGE_SIZE = 50;
const EVENTS_PER_REQUEST = 100;
/** Requests for the events of one page of users. */
const MAX_EVENT_REQUESTS = 5;
const DELETED = "deleted-users";

/** Deleted users, the last deletion first. */
export const deletedQuery = (q: string) =>
  infiniteQueryOptions({
    queryKey: [DELETED, "list", q],
    queryFn: ({ pageParam, signal }) =>
      roster.deletedUsers.list({ limit: PAGE_SIZE, after: pageParam, signal, ...(q !== "" && { q }) }).page(),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }: DeletedPage) => next,
    placeholderData: keepPreviousData,
    staleTime: 0,
  });

/** Who deleted these users, by id. The events of the time in which they were deleted know. */
export const deletersQuery = (users: readonly DeletedUser[]) =>
  queryOptions({
    queryKey: [DELETED, "deleters", users.map(({ id, version }) => `${id}.${version}`)],
    queryFn: ({ signal }) => findDeleters(users, signal),
    staleTime: Number.POSITIVE_INFINITY,
  });

export async function reloadDeleted(): Promise<void> {
  await queryClient.invalidateQueries({ queryKey: [DELETED, "list"] });
}

async function findDeleters(
  users: readonly DeletedUser[],
  signal: AbortSignal,
): Promise<ReadonlyMap<number, EventActor>> {
  const deleters = new Map<number, EventActor>();
  const times = users.map(({ deletedAt }) => Date.parse(deletedAt));
  const ids = new Set(users.map(({ id }) => id));
  const range = { from: new Date(Math.min(...times) - 1000), to: new Date(Math.max(...times) + 60_000) };
  let after: string | undefined;
  for (let request = 0; request < MAX_EVENT_REQUESTS && deleters.size < ids.size; request++) {
    const page = await roster.events
      .list({
        type: "user.deleted",
        ...range,
        sort: "-id",
        limit: EVENTS_PER_REQUEST,
        signal,
        ...(after && { after }),
      })
      .page();
    for (const { subject, actor } of page.events) {
      if (ids.has(subject.id) && !deleters.has(subject.id)) deleters.set(subject.id, actor);
    }
    after = page.next;
    if (after === undefined) break;
  }
  return deleters;
}
