import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useId, useState } from "react";
import type { Webhook, WebhookWithSecret } from "../../client/index.ts";
import { OwnKeyField } from "../keys/own-key-field.tsx";
import { RequestError } from "../keys/request-error.tsx";
import { callWithKey, isMutating } from "../lib/api.ts";
import { useUnsavedChanges } from "../lib/unsaved-changes.ts";
import { shell } from "../texts/index.ts";
import { rotateSecret as texts, webhookForm } from "../texts/webhooks.ts";
import { Button } from "../ui/button.tsx";
import { Modal } from "../ui/modal.tsx";
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
  const form = useId();
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
  // Leaving now would lose the secret.
  useUnsavedChanges(rotate.isPending, () => undefined);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isMutating("rotate-secret")) rotate.mutate();
  };
  return (
    <Modal
      open
      dismissible={!rotate.isPending}
      onClose={onClose}
      title={texts.title}
      lead={texts.lead}
      actions={
        <>
          <Button disabled={rotate.isPending} onClick={onClose}>
            {shell.cancel}
          </Button>
          <Button kind="primary" type="submit" form={form} busy={rotate.isPending}>
            {texts.action}
          </Button>
        </>
      }
    >
      <form id={form} className="form" noValidate autoComplete="off" onSubmit={submit}>
        {isFuture(webhook.previousSecretUntil) && <p className="warning">{texts.again}</p>}
        {needsKey && (
          <OwnKeyField value={ownKey} error={rotate.error} hint={webhookForm.keyHint} onChange={setOwnKey} />
        )}
        <RequestError error={rotate.error} />
      </form>
    </Modal>
  );
}
