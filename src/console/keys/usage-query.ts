import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { roster } from "../lib/api.ts";

/** The requests with a key on each of the last days. */
export const keyUsageQuery = (id: number, days: number) =>
  queryOptions({
    queryKey: ["key-usage", id, days],
    queryFn: ({ signal }) => roster.keys.usage(id, { days, signal }),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  });
