import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useEffect, useId, useRef, useState } from "react";
import type { Webhook, WebhookWithSecret } from "../../client/index.ts";
import { webhookFields } from "../../contract/webhooks/webhook.ts";
import { OwnKeyField } from "../keys/own-key-field.tsx";
import { RequestError } from "../keys/request-error.tsx";
import { callWithKey, fieldErrors, isMutating, RejectedKeyError } from "../lib/api.ts";
import type { CurrentSession } from "../lib/session.ts";
import { useUnsavedChanges } from "../lib/unsaved-changes.ts";
import { shell } from "../texts/index.ts";
import { webhookForm as texts, webhooks } from "../texts/webhooks.ts";
import { Button } from "../ui/button.tsx";
import { Field, focusFirstError } from "../ui/field.tsx";
import { Modal } from "../ui/modal.tsx";
import { showToast } from "../ui/toasts.tsx";
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
export function WebhookForm({ session, webhook, onCreated, onClose }: WebhookFormProps) {
  const [draft, setDraft] = useState<WebhookDraft>(() => toDraft(webhook));
  const [formErrors, setFormErrors] = useState<Readonly<Record<string, string>>>({});
  /** Fields changed since the last submit: their errors are hidden. */
  const [edited, setEdited] = useState<ReadonlySet<string>>(new Set());
  const [ownKey, setOwnKey] = useState("");
  const form = useRef<HTMLFormElement>(null);
  const id = useId();
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
  // Leaving now would lose the secret.
  useUnsavedChanges(save.isPending, () => undefined);
  const errors = { ...fieldErrors(save.error), ...formErrors };
  const isKeyRejected = save.error instanceof RejectedKeyError;
  const invalidFields = [...Object.keys(errors), ...(isKeyRejected ? ["key"] : [])].join();
  useEffect(() => {
    if (invalidFields !== "" && !save.isPending) focusFirstError(form.current);
  }, [invalidFields, save.isPending]);

  const errorFor = (field: string) => (edited.has(field) ? undefined : errors[field]);
  const change = (part: Partial<WebhookDraft>) => {
    setDraft({ ...draft, ...part });
    setEdited(new Set([...edited, ...Object.keys(part)]));
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setEdited(new Set());
    const missing = checkDraft(draft);
    setFormErrors(missing);
    if (Object.keys(missing).length > 0) save.reset();
    else if (!isMutating("save-webhook")) save.mutate();
  };
  return (
    <Modal
      open
      wide
      dismissible={!save.isPending}
      onClose={onClose}
      title={webhook ? texts.editTitle : texts.createTitle}
      actions={
        <>
          <Button disabled={save.isPending} onClick={onClose}>
            {shell.cancel}
          </Button>
          <Button kind="primary" type="submit" form={id} busy={save.isPending}>
            {webhook ? texts.save : texts.create}
          </Button>
        </>
      }
    >
      <form id={id} ref={form} className="form" noValidate autoComplete="off" onSubmit={submit}>
        <Field label={texts.url} hint={texts.urlHint} error={errorFor("url")}>
          <input
            ref={webhook ? undefined : focus}
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
        <RequestError error={save.error} fields={webhookFields} />
      </form>
    </Modal>
  );
}

/** A ref callback, because the dialog renders its content after the effects of this component ran. */
function focus(field: HTMLElement | null): void {
  field?.focus();
}
