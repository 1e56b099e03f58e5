import { useInfiniteQuery, useMutation } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useLocation } from "wouter";
import { useSearch } from "wouter/use-browser-location";
import type { Delivery, Webhook } from "../../client/index.ts";
import { roster } from "../lib/api.ts";
import { deliveryFilter, sendNow } from "../texts/delivery-details.ts";
import { formatNumber } from "../texts/format.ts";
import { deliveries as texts, webhooks } from "../texts/webhooks.ts";
import { Button } from "../ui/button.tsx";
import { RotateCw, Send } from "../ui/icons.ts";
import { List, nextPage } from "../ui/list.tsx";
import { Section } from "../ui/section.tsx";
import { EmptyState } from "../ui/states.tsx";
import { showErrorToast, showToast } from "../ui/toasts.tsx";
import { useUserNames } from "../users/user-names.ts";
import { Attempts } from "./attempts.tsx";
import { deliveryColumns, nameOf } from "./delivery-columns.tsx";
import { DeliveryDetails } from "./delivery-details.tsx";
import { DeliveryMenu } from "./delivery-menu.tsx";
import { deliveriesQuery, reloadHealth, reloadWebhooks } from "./queries.ts";
import { ReplayEvents } from "./replay-events.tsx";
import { isState, StateFilter } from "./state-filter.tsx";

/** What was sent to a webhook, and what waits. */
export function Deliveries({ webhook: { id, active } }: { readonly webhook: Webhook }) {
  const [isReplaying, setReplaying] = useState(false);
  const [state, setState] = useStateFilter();
  const query = deliveriesQuery(id, state);
  const list = useInfiniteQuery(query);
  const deliveries = list.data?.pages.flatMap(({ deliveries }) => deliveries) ?? [];
  useUserNames(deliveries.flatMap(({ subject: { type, id } }) => (type === "user" ? [id] : [])));
  const count = `${formatNumber(deliveries.length)}${list.hasNextPage ? "+" : ""}`;
  const times = list.data && deliveries.flatMap(({ attempts }) => attempts.at(-1)?.time ?? []);
  // Empty if nothing of this state was sent.
  const lastAttempt = times && (times.sort().at(-1) ?? "");
  useEffect(() => {
    // An attempt changes the state of the webhook and its success rate.
    if (lastAttempt !== undefined) void reloadHealth(id);
  }, [id, lastAttempt]);
  const resend = useMutation({
    mutationFn: (delivery: Delivery) => roster.webhooks.resend(id, delivery.id),
    onSuccess: (_, { state }) => showToast({ title: state === "waiting" ? sendNow.done : texts.resent }),
    onError: showErrorToast,
    onSettled: reloadWebhooks,
  });
  return (
    <Section
      className="deliveries"
      title={texts.title}
      count={deliveries.length > 0 ? count : undefined}
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
      <List
        label={texts.title}
        items={list.data && deliveries}
        columns={deliveryColumns}
        idOf={({ id }) => id}
        nameOf={nameOf}
        details={(delivery) => (
          <>
            <Attempts delivery={delivery} />
            <DeliveryDetails webhookId={id} delivery={delivery} />
          </>
        )}
        menu={(delivery) => (
          <DeliveryMenu
            delivery={delivery}
            isResending={resend.isPending && resend.variables.id === delivery.id}
            onResend={active ? () => resend.mutate(delivery) : undefined}
          />
        )}
        error={list.error}
        onRetry={() => void list.refetch()}
        empty={
          state ? (
            <p className="notice">{deliveryFilter.empty}</p>
          ) : (
            <EmptyState icon={Send} title={texts.empty.title} text={texts.empty.text} />
          )
        }
        more={nextPage(list)}
      />
      {isReplaying && <ReplayEvents id={id} onSent={reloadWebhooks} onClose={() => setReplaying(false)} />}
    </Section>
  );
}

/** The state in the URL. */
function useStateFilter(): [Delivery["state"] | undefined, (state: Delivery["state"] | undefined) => void] {
  const [path, navigate] = useLocation();
  const state = new URLSearchParams(useSearch()).get("state");
  return [
    isState(state) ? state : undefined,
    (next) => navigate(next ? `${path}?${new URLSearchParams({ state: next })}` : path, { replace: true }),
  ];
}
