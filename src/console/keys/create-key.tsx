import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useEffect, useId, useRef, useState } from "react";
import type { CreatedKey, KeyInput, Scope } from "../../client/index.ts";
import { scopes as everyScope, keyFields } from "../../contract/keys/key.ts";
import { callWithKey, fieldErrors, isMutating, RejectedKeyError } from "../lib/api.ts";
import type { CurrentSession } from "../lib/session.ts";
import { useUnsavedChanges } from "../lib/unsaved-changes.ts";
import { shell, newKey as texts } from "../texts/index.ts";
import { Button } from "../ui/button.tsx";
import { Field, focusFirstError } from "../ui/field.tsx";
import { Modal } from "../ui/modal.tsx";
import { Select } from "../ui/select.tsx";
import { expiries, type KeyDraft, parseKeyDraft } from "./key-draft.ts";
import { OwnKeyField } from "./own-key-field.tsx";
import { RateLimitField } from "./rate-limit-field.tsx";
import { RequestError } from "./request-error.tsx";
import { ScopeField } from "./scope-field.tsx";

interface CreateKeyProps {
  readonly session: CurrentSession;
  readonly onCreated: (created: CreatedKey) => void;
  readonly onClose: () => void;
}

export function CreateKey({ session, onCreated, onClose }: CreateKeyProps) {
  const first = session.auth === "open";
  const [draft, setDraft] = useState<KeyDraft>(() => emptyDraft(first));
  const [formErrors, setFormErrors] = useState<Readonly<Record<string, string>>>({});
  /** Fields changed since the last submit: their errors are hidden. */
  const [edited, setEdited] = useState<ReadonlySet<string>>(new Set());
  /** The person's own key. Undefined if the service requires none. */
  const [ownKey, setOwnKey] = useState(session.auth === "session" ? "" : undefined);
  const form = useRef<HTMLFormElement>(null);
  const id = useId();
  const create = useMutation({
    mutationKey: ["create-key"],
    // The key is no argument: the cache would keep it.
    mutationFn: (input: KeyInput) => callWithKey(ownKey?.trim(), (client) => client.keys.create(input)),
    // Drop the response from the cache: it contains the secret.
    gcTime: 0,
    onSuccess: onCreated,
  });
  // Leaving now would lose the secret.
  useUnsavedChanges(create.isPending, () => undefined);
  const errors = { ...fieldErrors(create.error), ...formErrors };
  const isKeyRejected = create.error instanceof RejectedKeyError;
  const invalidFields = [...Object.keys(errors), ...(isKeyRejected ? ["key"] : [])].join();
  useEffect(() => {
    if (invalidFields !== "" && !create.isPending) focusFirstError(form.current);
  }, [invalidFields, create.isPending]);

  const errorFor = (field: string) => (edited.has(field) ? undefined : errors[field]);
  const change = (field: string, part: Partial<KeyDraft>) => {
    setDraft({ ...draft, ...part });
    setEdited(new Set(edited).add(field));
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setEdited(new Set());
    const parsed = parseKeyDraft(draft);
    setFormErrors(parsed.errors ?? {});
    if (parsed.errors) create.reset();
    else if (!isMutating("create-key")) create.mutate(parsed.input);
  };
  return (
    <Modal
      open
      dismissible={!create.isPending}
      onClose={onClose}
      title={texts.title}
      actions={
        <>
          <Button disabled={create.isPending} onClick={onClose}>
            {shell.cancel}
          </Button>
          <Button kind="primary" type="submit" form={id} busy={create.isPending}>
            {texts.submit}
          </Button>
        </>
      }
    >
      <form id={id} ref={form} className="form" onSubmit={submit} noValidate autoComplete="off">
        {first && (
          <div className="notice">
            <p className="section-title">{texts.first.title}</p>
            <p>{texts.first.text}</p>
          </div>
        )}
        <Field label={texts.name} hint={texts.nameHint} error={errorFor("name")}>
          <input
            ref={focus}
            value={draft.name}
            onChange={({ target }) => change("name", { name: target.value })}
          />
        </Field>
        <ScopeField
          chosen={draft.scopes}
          grantable={session.scopes}
          error={errorFor("scopes")}
          onChange={(scopes) => change("scopes", { scopes })}
        />
        {first && !draft.scopes.includes("keys:manage") && <p className="warning">{texts.first.unmanaged}</p>}
        <div className="pair">
          <Field label={texts.expiry} error={draft.expiry === "day" ? undefined : errorFor("expiresAt")}>
            <Select
              value={draft.expiry}
              options={expiries}
              getLabel={(expiry) => texts.expiries[expiry]}
              onChoose={(expiry) => change("expiresAt", { expiry })}
            />
          </Field>
          {draft.expiry === "day" && (
            <Field label={texts.day} hint={texts.dayHint} error={errorFor("expiresAt")}>
              <input
                type="date"
                max="9999-12-30"
                value={draft.day}
                onChange={({ target }) => change("expiresAt", { day: target.value })}
              />
            </Field>
          )}
        </div>
        <RateLimitField
          requests={draft.requests}
          seconds={draft.seconds}
          error={errorFor("rateLimit")}
          onChange={(part) => change("rateLimit", part)}
        />
        <Field label={texts.quota} hint={texts.quotaHint} error={errorFor("quota")} className="half">
          <input
            inputMode="numeric"
            value={draft.quota}
            onChange={({ target }) => change("quota", { quota: target.value })}
          />
        </Field>
        {ownKey !== undefined && <OwnKeyField value={ownKey} error={create.error} onChange={setOwnKey} />}
        <RequestError error={create.error} fields={keyFields} />
      </form>
    </Modal>
  );
}

/** A ref callback, because the dialog renders its content after the effects of this component ran. */
function focus(field: HTMLElement | null): void {
  field?.focus();
}

/** The first key gets all scopes by default. Without them, its owner would be locked out. */
function emptyDraft(first: boolean): KeyDraft {
  const scopes: readonly Scope[] = first ? everyScope : ["users:read"];
  return { name: "", scopes, expiry: "never", day: "", requests: "", seconds: "60", quota: "" };
}
