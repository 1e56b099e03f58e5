import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { queryClient, request, roster } from "../lib/api.ts";

const OVERVIEW = "overview";
const NEWEST = 6;
/** Events, of which bursts are folded. */
const RECENT = 50;
const HEALTH_INTERVAL_MS = 30_000;

export const statsQuery = (days: number) =>
  queryOptions({
    queryKey: [OVERVIEW, "stats", days],
    queryFn: ({ signal }) => roster.stats({ days, signal }),
    placeholderData: keepPreviousData,
    staleTime: 10_000,
  });

/** The number of users that are inactive. */
export const inactiveQuery = queryOptions({
  queryKey: [OVERVIEW, "inactive"],
  queryFn: async ({ signal }) =>
    (await roster.users.list({ filter: "active eq false", limit: 1, signal }).page({ count: true })).total,
  staleTime: 10_000,
});

export const newestQuery = queryOptions({
  queryKey: [OVERVIEW, "newest"],
  queryFn: async ({ signal }) =>
    (await roster.users.list({ sort: "-id", limit: NEWEST, signal }).page()).users,
  staleTime: 10_000,
});

export const recentQuery = queryOptions({
  queryKey: [OVERVIEW, "recent"],
  queryFn: ({ signal }) => roster.events.list({ sort: "-id", limit: RECENT, signal }).page(),
  staleTime: 10_000,
});

/** How long the check took, in milliseconds. Fails if the service is not ready. */
export const healthQuery = queryOptions({
  queryKey: [OVERVIEW, "health"],
  queryFn: async ({ signal }) => {
    const start = performance.now();
    await request("/readyz", { signal, retries: 0 });
    return performance.now() - start;
  },
  refetchInterval: HEALTH_INTERVAL_MS,
});

/** Loads again what changes of users affect. */
export function refreshOverview(): Promise<void> {
  return queryClient.invalidateQueries({
    queryKey: [OVERVIEW],
    predicate: ({ queryKey }) => queryKey[1] !== "health",
  });
}
