import { useInfiniteQuery, useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { Delivery, Webhook } from "../../client/index.ts";
import { queryClient, roster } from "../lib/api.ts";
import { deliveryFilter, sendNow } from "../texts/delivery-details.ts";
import { deliveries as texts, webhooks } from "../texts/webhooks.ts";
import { Button } from "../ui/button.tsx";
import { RotateCw } from "../ui/icons.ts";
import { Section } from "../ui/section.tsx";
import { ErrorState, Loading } from "../ui/states.tsx";
import { showErrorToast, showToast } from "../ui/toasts.tsx";
import { DeliveryItem } from "./delivery-item.tsx";
import { deliveriesQuery } from "./queries.ts";
import { ReplayEvents } from "./replay-events.tsx";
import { StateFilter } from "./state-filter.tsx";
import { useUserNames } from "./user-names.ts";

/** What was sent to a webhook, and what waits. */
export function Deliveries({ webhook: { id, active } }: { readonly webhook: Webhook }) {
  const [isReplaying, setReplaying] = useState(false);
  const [state, setState] = useState<Delivery["state"]>();
  const query = deliveriesQuery(id, state);
  const list = useInfiniteQuery(query);
  const deliveries = list.data?.pages.flatMap(({ deliveries }) => deliveries) ?? [];
  useUserNames(deliveries);
  const reload = () => queryClient.invalidateQueries({ queryKey: query.queryKey });
  const resend = useMutation({
    mutationFn: (delivery: Delivery) => roster.webhooks.resend(id, delivery.id),
    onSuccess: (_, { state }) => showToast({ title: state === "waiting" ? sendNow.done : texts.resent }),
    onError: showErrorToast,
    onSettled: reload,
  });
  return (
    <Section
      className="deliveries"
      title={texts.title}
      hint={texts.hint}
      tools={
        <div className="actions">
          <StateFilter state={state} onChoose={setState} />
          {active && (
            <Button icon={<RotateCw aria-hidden />} onClick={() => setReplaying(true)}>
              {webhooks.actions.replay}
            </Button>
          )}
        </div>
      }
    >
      {list.isPending ? (
        <Loading />
      ) : list.error && deliveries.length === 0 ? (
        <ErrorState error={list.error} retry={() => void list.refetch()} />
      ) : deliveries.length === 0 ? (
        <p className="notice">{state ? deliveryFilter.empty : texts.empty}</p>
      ) : (
        <ul className="rows" aria-label={texts.list}>
          {deliveries.map((delivery) => (
            <DeliveryItem
              key={delivery.id}
              webhookId={id}
              delivery={delivery}
              isResending={resend.isPending && resend.variables.id === delivery.id}
              {...(active && { onResend: () => resend.mutate(delivery) })}
            />
          ))}
        </ul>
      )}
      {list.hasNextPage && (
        <div className="feed-rest">
          <Button busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
            {texts.more}
          </Button>
        </div>
      )}
      {isReplaying && <ReplayEvents id={id} onSent={reload} onClose={() => setReplaying(false)} />}
    </Section>
  );
}
