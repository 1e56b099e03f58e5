import { infiniteQueryOptions } from "@tanstack/react-query";
import type { EventFilters, EventPage, RosterEvent } from "../../client/index.ts";
import { queryClient, roster } from "../lib/api.ts";
import { type ActivityFilters, toEventFilters } from "./event-filters.ts";

const PAGE_SIZE = 50;
const EVENTS = "events";

interface LoadedPage extends EventPage {
  /** The last event when the first page was loaded: new events come after it. */
  readonly last: string | undefined;
}

/** Events, newest first. */
export const eventsQuery = (filters: ActivityFilters) =>
  infiniteQueryOptions({
    queryKey: [EVENTS, filters],
    queryFn: ({ pageParam, signal }) => fetchPage(toEventFilters(filters), pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }: LoadedPage) => next,
    // New events are followed, not loaded again.
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnReconnect: false,
  });

/** Adds events, oldest first, to the list. */
export function addNewEvents(filters: ActivityFilters, added: readonly RosterEvent[]): void {
  queryClient.setQueryData(eventsQuery(filters).queryKey, (loaded) => {
    const [first, ...others] = loaded?.pages ?? [];
    if (!loaded || !first) return loaded;
    const events = [...added.toReversed(), ...first.events];
    return { ...loaded, pages: [{ ...first, events, last: added.at(-1)?.id ?? first.last }, ...others] };
  });
}

export function reloadEvents(filters: ActivityFilters): Promise<void> {
  return queryClient.resetQueries({ queryKey: eventsQuery(filters).queryKey });
}

async function fetchPage(
  filters: EventFilters,
  after: string | undefined,
  signal: AbortSignal,
): Promise<LoadedPage> {
  // Before the page: an event in between is then followed, and skipped if the page has it.
  const last = after === undefined ? await roster.events.last({ signal }) : undefined;
  const options = { ...filters, sort: "-id", limit: PAGE_SIZE, signal, ...(after && { after }) } as const;
  return { ...(await roster.events.list(options).page()), last };
}
