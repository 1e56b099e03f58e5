import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { Webhook, WebhookWithSecret } from "../../client/index.ts";
import { OwnKeyField } from "../keys/own-key-field.tsx";
import { callWithKey, isMutating } from "../lib/api.ts";
import { rotateSecret as texts, webhookForm } from "../texts/webhooks.ts";
import { FormModal } from "../ui/form-modal.tsx";
import { reloadWebhooks } from "./queries.ts";
import { isFuture } from "./webhook-facts.tsx";

interface RotateSecretProps {
  readonly webhook: Webhook;
  /** Whether the person has to enter the own key. */
  readonly needsKey: boolean;
  readonly onRotated: (webhook: WebhookWithSecret) => void;
  readonly onClose: () => void;
}

export function RotateSecret({ webhook, needsKey, onRotated, onClose }: RotateSecretProps) {
  const [ownKey, setOwnKey] = useState("");
  const rotate = useMutation({
    mutationKey: ["rotate-secret"],
    mutationFn: async () =>
      onRotated(
        await callWithKey(needsKey ? ownKey.trim() : undefined, (client) =>
          client.webhooks.rotate(webhook.id),
        ),
      ),
    onSuccess: reloadWebhooks,
  });
  const submit = () => {
    if (!isMutating("rotate-secret")) rotate.mutate();
  };
  return (
    <FormModal
      title={texts.title}
      lead={texts.lead}
      submitLabel={texts.action}
      busy={rotate.isPending}
      awaitsSecret
      error={rotate.error}
      onSubmit={submit}
      onClose={onClose}
    >
      {isFuture(webhook.previousSecretUntil) && <p className="warning">{texts.again}</p>}
      {needsKey && (
        <OwnKeyField value={ownKey} error={rotate.error} hint={webhookForm.keyHint} onChange={setOwnKey} />
      )}
    </FormModal>
  );
}
