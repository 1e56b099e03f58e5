import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { Delivery, DeliveryPage, Webhook } from "../../client/index.ts";
import { webhookLimits } from "../../contract/webhooks/webhook.ts";
import { queryClient, roster } from "../lib/api.ts";

const WEBHOOKS = "webhooks";
const DELIVERIES_PER_PAGE = 50;
/** How often deliveries are loaded again. */
const REFRESH_MS = 4000;
const ATTEMPTS_REFRESH_MS = 60_000;

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

/** Without a state, all deliveries. */
export const deliveriesQuery = (id: number, state?: Delivery["state"]) =>
  infiniteQueryOptions({
    queryKey: [WEBHOOKS, "deliveries", id, state],
    queryFn: ({ pageParam, signal }) =>
      roster.webhooks
        .deliveries(id, {
          limit: DELIVERIES_PER_PAGE,
          signal,
          ...(state && { state }),
          ...(pageParam && { after: pageParam }),
        })
        .page(),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }: DeliveryPage) => next,
    staleTime: 0,
    refetchInterval: REFRESH_MS,
  });

/** One delivery with its last request. It is loaded again after another attempt. */
export const deliveryQuery = (webhookId: number, { id, state, attempts }: Delivery) =>
  queryOptions({
    queryKey: [WEBHOOKS, "delivery", webhookId, id, state, attempts.at(-1)?.time],
    queryFn: ({ signal }) => roster.webhooks.delivery(webhookId, id, { signal }),
    placeholderData: keepPreviousData,
  });

/** The attempts of each of the last hours. */
export const attemptsQuery = (id: number, hours: number) =>
  queryOptions({
    queryKey: [WEBHOOKS, "attempts", id, hours],
    queryFn: ({ signal }) => roster.webhooks.attempts(id, { hours, signal }),
    placeholderData: keepPreviousData,
    staleTime: 0,
    refetchInterval: ATTEMPTS_REFRESH_MS,
  });

export function reloadWebhooks(): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: [WEBHOOKS] });
}

/** Loads a webhook and its success rate again. */
export async function reloadHealth(id: number): Promise<void> {
  await Promise.all(
    ["one", "attempts"].map((part) => queryClient.invalidateQueries({ queryKey: [WEBHOOKS, part, id] })),
  );
}

/** "failing": active, but the last deliveries failed. */
export type WebhookState = "active" | "failing" | "disabled";

export function webhookState({ active, failingSince }: Webhook): WebhookState {
  if (!active) return "disabled";
  return failingSince === null ? "active" : "failing";
}
