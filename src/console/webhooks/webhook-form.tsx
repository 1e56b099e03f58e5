import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { Webhook, WebhookWithSecret } from "../../client/index.ts";
import { webhookFields } from "../../contract/webhooks/webhook.ts";
import { OwnKeyField } from "../keys/own-key-field.tsx";
import { callWithKey, isMutating } from "../lib/api.ts";
import type { CurrentSession } from "../lib/session.ts";
import { webhookForm as texts, webhooks } from "../texts/webhooks.ts";
import { Field } from "../ui/field.tsx";
import { FormModal } from "../ui/form-modal.tsx";
import { showToast } from "../ui/toasts.tsx";
import { useFieldErrors } from "../ui/use-field-errors.ts";
import { reloadWebhooks } from "./queries.ts";
import { TypesField } from "./types-field.tsx";
import { changesOf, checkDraft, toDraft, toInput, type WebhookDraft } from "./webhook-draft.ts";

interface WebhookFormProps {
  readonly session: CurrentSession;
  /** The webhook to edit; undefined for a new one. */
  readonly webhook?: Webhook;
  readonly onCreated?: (created: WebhookWithSecret) => void;
  readonly onClose: () => void;
}

/** Creates or changes a webhook. */
export function WebhookForm({ session, webhook: current, onCreated, onClose }: WebhookFormProps) {
  // As it was when the form opened: a save overwrites no change that others have made since.
  const [webhook] = useState(current);
  const [draft, setDraft] = useState<WebhookDraft>(() => toDraft(webhook));
  const [ownKey, setOwnKey] = useState("");
  // In a session, the service accepts a new URL only with the key itself.
  const needsKey = session.auth === "session" && draft.url.trim() !== webhook?.url;
  const save = useMutation({
    mutationKey: ["save-webhook"],
    mutationFn: async () => {
      const key = needsKey ? ownKey.trim() : undefined;
      if (webhook === undefined) {
        onCreated?.(await callWithKey(key, (client) => client.webhooks.create(toInput(draft))));
        return;
      }
      const changes = changesOf(webhook, draft);
      await callWithKey(key, (client) =>
        client.webhooks.update(webhook.id, changes, { ifUnchanged: webhook }),
      );
      showToast({ title: webhooks.saved });
      onClose();
    },
    // Drop the response from the cache: it contains the secret.
    gcTime: 0,
    onSuccess: reloadWebhooks,
  });
  const { form, errorFor, ...errors } = useFieldErrors(save.error, save.isPending);
  const change = (part: Partial<WebhookDraft>) => {
    setDraft({ ...draft, ...part });
    errors.edit(...Object.keys(part));
  };
  const submit = () => {
    const missing = checkDraft(draft);
    errors.submit(missing);
    if (Object.keys(missing).length > 0) save.reset();
    else if (!isMutating("save-webhook")) save.mutate();
  };
  return (
    <FormModal
      wide
      title={webhook ? texts.editTitle : texts.createTitle}
      form={form}
      submitLabel={webhook ? texts.save : texts.create}
      busy={save.isPending}
      awaitsSecret
      error={save.error}
      errorFields={webhookFields}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field label={texts.url} hint={texts.urlHint} error={errorFor("url")}>
        <input
          type="url"
          inputMode="url"
          spellCheck={false}
          placeholder="https://"
          value={draft.url}
          onChange={({ target }) => change({ url: target.value })}
        />
      </Field>
      <Field label={texts.description} hint={texts.descriptionHint} error={errorFor("description")}>
        <input value={draft.description} onChange={({ target }) => change({ description: target.value })} />
      </Field>
      <TypesField chosen={draft.types} error={errorFor("types")} onChange={(types) => change({ types })} />
      <Field label={texts.filter} hint={texts.filterHint} error={errorFor("filter")}>
        <input
          spellCheck={false}
          autoCapitalize="none"
          value={draft.filter}
          onChange={({ target }) => change({ filter: target.value })}
        />
      </Field>
      {needsKey && (
        <OwnKeyField value={ownKey} error={save.error} hint={texts.keyHint} onChange={setOwnKey} />
      )}
    </FormModal>
  );
}
