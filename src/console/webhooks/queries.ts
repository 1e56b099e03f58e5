import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import type { DeliveryPage, Webhook } from "../../client/index.ts";
import { webhookLimits } from "../../contract/webhooks/webhook.ts";
import { queryClient, roster } from "../lib/api.ts";

const WEBHOOKS = "webhooks";
const DELIVERIES_PER_PAGE = 50;
/** How often deliveries are loaded again. */
const REFRESH_MS = 4000;

export const webhooksQuery = queryOptions({
  queryKey: [WEBHOOKS, "list"],
  queryFn: async ({ signal }) =>
    (await roster.webhooks.list({ limit: webhookLimits.webhooks, signal }).page()).webhooks,
  staleTime: 0,
});

export const webhookQuery = (id: number) =>
  queryOptions({
    queryKey: [WEBHOOKS, "one", id],
    queryFn: ({ signal }) => roster.webhooks.get(id, { signal }),
    staleTime: 0,
  });

export const deliveriesQuery = (id: number) =>
  infiniteQueryOptions({
    queryKey: [WEBHOOKS, "deliveries", id],
    queryFn: ({ pageParam, signal }) =>
      roster.webhooks
        .deliveries(id, { limit: DELIVERIES_PER_PAGE, signal, ...(pageParam && { after: pageParam }) })
        .page(),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }: DeliveryPage) => next,
    staleTime: 0,
    refetchInterval: REFRESH_MS,
  });

export function reloadWebhooks(): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: [WEBHOOKS] });
}

/** "failing": active, but the last deliveries failed. */
export type WebhookState = "active" | "failing" | "disabled";

export function webhookState({ active, failingSince }: Webhook): WebhookState {
  if (!active) return "disabled";
  return failingSince === null ? "active" : "failing";
}
