import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useLocation, useParams } from "wouter";
import type { Webhook, WebhookWithSecret } from "../../client/index.ts";
import { useCommands } from "../lib/commands.ts";
import { useCreationRequest } from "../lib/creation-request.ts";
import { type CurrentSession, useSession } from "../lib/session.ts";
import { formatNumber } from "../texts/format.ts";
import { webhooks as texts } from "../texts/webhooks.ts";
import { Button } from "../ui/button.tsx";
import { Plus, Webhook as WebhookIcon } from "../ui/icons.ts";
import { List } from "../ui/list.tsx";
import { EmptyState } from "../ui/states.tsx";
import { View } from "../ui/view.tsx";
import { DeleteWebhook } from "./delete-webhook.tsx";
import { reloadWebhooks, webhooksQuery } from "./queries.ts";
import { webhookColumns } from "./webhook-columns.tsx";
import { WebhookForm } from "./webhook-form.tsx";
import { WebhookMenu } from "./webhook-menu.tsx";
import { WebhookPage } from "./webhook-page.tsx";
import { WebhookSecret } from "./webhook-secret.tsx";

/** The list of webhooks, or one of them with its deliveries. */
export default function WebhooksView() {
  const session = useSession();
  const { id } = useParams<{ id?: string }>();
  if (!session) return null;
  return id === undefined ? (
    <WebhookList session={session} />
  ) : (
    <WebhookPage id={Number(id)} session={session} />
  );
}

function WebhookList({ session }: { readonly session: CurrentSession }) {
  const [isCreating, setCreating] = useState(false);
  const [created, setCreated] = useState<WebhookWithSecret>();
  const [deleted, setDeleted] = useState<Webhook>();
  const [, navigate] = useLocation();
  const { data: webhooks, error, refetch } = useQuery(webhooksQuery);
  const activeCount = webhooks?.filter(({ active }) => active).length ?? 0;
  const openForm = () => setCreating(true);
  useCreationRequest("webhook", openForm);
  useCommands("webhooks", [{ id: "new-webhook", label: texts.newWebhook, icon: WebhookIcon, run: openForm }]);
  const create = (
    <Button kind="primary" icon={<Plus aria-hidden />} onClick={openForm}>
      {texts.newWebhook}
    </Button>
  );
  return (
    <View
      name="webhooks"
      title={texts.title}
      lead={texts.lead}
      count={webhooks?.length ? texts.count(formatNumber(activeCount)) : undefined}
      aside={webhooks?.length ? create : undefined}
    >
      <List
        label={texts.list}
        items={webhooks}
        columns={webhookColumns}
        idOf={({ id }) => id}
        nameOf={({ url }) => url}
        hrefOf={pathOf}
        isInactive={({ active }) => !active}
        menu={(webhook) => (
          <WebhookMenu
            webhook={webhook}
            onOpen={() => navigate(pathOf(webhook))}
            onDelete={() => setDeleted(webhook)}
          />
        )}
        error={error}
        onRetry={() => void refetch()}
        empty={
          <EmptyState icon={WebhookIcon} title={texts.empty.title} text={texts.empty.text}>
            {create}
          </EmptyState>
        }
      />
      {deleted && (
        <DeleteWebhook webhook={deleted} onDeleted={reloadWebhooks} onClose={() => setDeleted(undefined)} />
      )}
      {isCreating && (
        <WebhookForm
          session={session}
          onCreated={(created) => {
            setCreating(false);
            setCreated(created);
          }}
          onClose={() => setCreating(false)}
        />
      )}
      {created && (
        <WebhookSecret
          secret={created.secret}
          isNew
          onClose={() => {
            setCreated(undefined);
            navigate(pathOf(created));
          }}
        />
      )}
    </View>
  );
}

function pathOf({ id }: Webhook): string {
  return `/webhooks/${id}`;
}
