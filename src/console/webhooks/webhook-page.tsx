import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useLocation } from "wouter";
import type { Webhook, WebhookWithSecret } from "../../client/index.ts";
import { isProblem, roster } from "../lib/api.ts";
import { useCommands } from "../lib/commands.ts";
import type { CurrentSession } from "../lib/session.ts";
import { commands as commandTexts } from "../texts/commands.ts";
import { webhooks as texts } from "../texts/webhooks.ts";
import { Button } from "../ui/button.tsx";
import { KeyRound, Pencil, Power, Send, Trash2, Webhook as WebhookIcon } from "../ui/icons.ts";
import { EmptyState, Unloaded } from "../ui/states.tsx";
import { showErrorToast, showToast } from "../ui/toasts.tsx";
import { BackLink, View } from "../ui/view.tsx";
import { DeleteWebhook } from "./delete-webhook.tsx";
import { Deliveries } from "./deliveries.tsx";
import { reloadWebhooks, webhookQuery } from "./queries.ts";
import { RotateSecret } from "./rotate-secret.tsx";
import { SuccessRate } from "./success-rate.tsx";
import { TestResult } from "./test-result.tsx";
import { WebhookFacts, WebhookNotice } from "./webhook-facts.tsx";
import { WebhookForm } from "./webhook-form.tsx";
import { WebhookSecret } from "./webhook-secret.tsx";

const commands = commandTexts.webhook;

interface WebhookPageProps {
  readonly id: number;
  readonly session: CurrentSession;
}

/** One webhook: what it gets, what was sent, and everything that can be done with it. */
export function WebhookPage({ id, session }: WebhookPageProps) {
  const { data: webhook, error, refetch } = useQuery(webhookQuery(id));
  const isGone = Number.isNaN(id) || isProblem(error, "webhook-not-found", "not-found");
  if (webhook && !isGone) return <Page webhook={webhook} session={session} />;
  return (
    <View name="webhooks" title={texts.title}>
      <Unloaded
        isGone={isGone}
        gone={
          <EmptyState icon={WebhookIcon} title={texts.gone.title} text={texts.gone.text}>
            <Link href="/webhooks" className="button primary">
              {texts.back}
            </Link>
          </EmptyState>
        }
        error={error}
        retry={() => void refetch()}
      />
    </View>
  );
}

type Open =
  | { readonly what: "edit" | "rotate" | "delete" }
  | { readonly what: "secret"; readonly secret: string };

function Page({ webhook, session }: { readonly webhook: Webhook; readonly session: CurrentSession }) {
  const [open, setOpen] = useState<Open>();
  const [, navigate] = useLocation();
  const { id, url, active } = webhook;
  const close = () => setOpen(undefined);
  const test = useMutation({ mutationFn: () => roster.webhooks.test(id), onError: showErrorToast });
  const setActive = useMutation({
    mutationFn: (active: boolean) => roster.webhooks.update(id, { active }),
    onSuccess: ({ active }) => showToast({ title: active ? texts.activated : texts.disabled }),
    onError: showErrorToast,
    onSettled: reloadWebhooks,
  });
  useCommands("webhook", [
    { id: "test", label: commands.test, icon: Send, run: () => test.mutate() },
    { id: "edit", label: commands.edit, icon: Pencil, run: () => setOpen({ what: "edit" }) },
    { id: "rotate", label: commands.rotate, icon: KeyRound, run: () => setOpen({ what: "rotate" }) },
    {
      id: "active",
      label: active ? commands.disable : commands.activate,
      icon: Power,
      run: () => setActive.mutate(!active),
    },
    { id: "delete", label: commands.delete, icon: Trash2, run: () => setOpen({ what: "delete" }) },
  ]);
  return (
    <>
      <BackLink href="/webhooks">{texts.back}</BackLink>
      <View
        name="webhooks"
        title={titleOf(url)}
        aside={
          <div className="actions">
            <Button icon={<Pencil aria-hidden />} onClick={() => setOpen({ what: "edit" })}>
              {texts.actions.edit}
            </Button>
            <Button
              kind="primary"
              icon={<Send aria-hidden />}
              busy={test.isPending}
              onClick={() => test.mutate()}
            >
              {texts.actions.test}
            </Button>
          </div>
        }
      >
        <WebhookNotice
          webhook={webhook}
          isBusy={setActive.isPending}
          onActivate={() => setActive.mutate(true)}
        />
        {test.data && <TestResult result={test.data} onClose={test.reset} />}
        <WebhookFacts webhook={webhook}>
          <Button kind="quiet" icon={<KeyRound aria-hidden />} onClick={() => setOpen({ what: "rotate" })}>
            {texts.actions.rotate}
          </Button>
          {active && (
            <Button
              kind="quiet"
              icon={<Power aria-hidden />}
              busy={setActive.isPending}
              onClick={() => setActive.mutate(false)}
            >
              {texts.actions.disable}
            </Button>
          )}
          <Button
            kind="destructive"
            icon={<Trash2 aria-hidden />}
            onClick={() => setOpen({ what: "delete" })}
          >
            {texts.actions.delete}
          </Button>
        </WebhookFacts>
        <SuccessRate id={id} />
        <Deliveries webhook={webhook} />
        {open?.what === "edit" && <WebhookForm session={session} webhook={webhook} onClose={close} />}
        {open?.what === "rotate" && (
          <RotateSecret
            webhook={webhook}
            needsKey={session.auth === "session"}
            onRotated={({ secret }: WebhookWithSecret) => setOpen({ what: "secret", secret })}
            onClose={close}
          />
        )}
        {open?.what === "secret" && <WebhookSecret secret={open.secret} isNew={false} onClose={close} />}
        {open?.what === "delete" && (
          <DeleteWebhook webhook={webhook} onDeleted={() => navigate("/webhooks")} onClose={close} />
        )}
      </View>
    </>
  );
}

/** The URL without its scheme. */
function titleOf(url: string): string {
  return url.replace(/^https?:\/\//, "");
}
