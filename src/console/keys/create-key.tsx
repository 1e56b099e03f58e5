import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { CreatedKey, KeyInput, Scope } from "../../client/index.ts";
import { scopes as everyScope, keyFields } from "../../contract/keys/key.ts";
import { callWithKey, isMutating, RejectedKeyError } from "../lib/api.ts";
import type { CurrentSession } from "../lib/session.ts";
import { newKey as texts } from "../texts/index.ts";
import { Field } from "../ui/field.tsx";
import { FormModal } from "../ui/form-modal.tsx";
import { Select } from "../ui/select.tsx";
import { useFieldErrors } from "../ui/use-field-errors.ts";
import { expiries, type KeyDraft, parseKeyDraft } from "./key-draft.ts";
import { focusOnMount, type OwnKey, type Step, useOwnKeyStep } from "./own-key-step.tsx";
import { RateLimitField } from "./rate-limit-field.tsx";
import { ScopeField } from "./scope-field.tsx";

/** What a view suggests for the keys that it is about. */
export interface SuggestedKey {
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** Shown while one of the scopes is not chosen. */
  readonly needed: string;
}

interface CreateKeyProps {
  readonly session: CurrentSession;
  /** Default: a key that reads users. */
  readonly suggested?: SuggestedKey | undefined;
  readonly onCreated: (created: CreatedKey) => void;
  readonly onClose: () => void;
}

/** Asks for the person's own key, if the service requires one, and then what the new key may do. */
export function CreateKey({ session, suggested, onCreated, onClose }: CreateKeyProps) {
  const [own, setOwn] = useState<OwnKey | undefined>(() =>
    session.auth === "session" ? undefined : { secret: undefined, scopes: session.scopes },
  );
  const [rejected, setRejected] = useState<RejectedKeyError>();
  const ownKeyStep = useOwnKeyStep(rejected, setOwn);
  const formStep = useFormStep({
    own,
    isFirst: session.auth === "open",
    suggested,
    onCreated,
    onRejected(error) {
      setRejected(error);
      setOwn(undefined);
    },
  });
  return <FormModal title={texts.title} onClose={onClose} {...(own ? formStep : ownKeyStep)} />;
}

interface FormStepOptions {
  readonly own: OwnKey | undefined;
  readonly isFirst: boolean;
  readonly suggested: SuggestedKey | undefined;
  readonly onCreated: (created: CreatedKey) => void;
  /** The service does not accept the own key any more. */
  readonly onRejected: (error: RejectedKeyError) => void;
}

/** What the new key is called, may do and how much. The input stays when the own key has to be entered again. */
function useFormStep({ own, isFirst, suggested, onCreated, onRejected }: FormStepOptions): Step {
  const grantable = own?.scopes ?? [];
  const [input, setInput] = useState<KeyDraft>();
  const draft = input ?? firstDraft({ isFirst, suggested, grantable });
  const create = useMutation({
    mutationKey: ["create-key"],
    // The key is not an argument: the cache would keep it.
    mutationFn: (input: KeyInput) => callWithKey(own?.secret, (client) => client.keys.create(input)),
    // Drop the response from the cache: it contains the secret.
    gcTime: 0,
    onSuccess: onCreated,
    onError: (error) => {
      if (error instanceof RejectedKeyError) onRejected(error);
    },
  });
  const { form, errorFor, ...errors } = useFieldErrors(create.error, create.isPending);
  const change = (field: string, part: Partial<KeyDraft>) => {
    setInput({ ...draft, ...part });
    errors.edit(field);
  };
  const submit = () => {
    const parsed = parseKeyDraft(draft);
    errors.submit(parsed.errors ?? {});
    if (parsed.errors) create.reset();
    else if (!isMutating("create-key")) create.mutate(parsed.input);
  };
  return {
    form,
    submitLabel: texts.submit,
    busy: create.isPending,
    awaitsSecret: true,
    error: create.error,
    errorFields: keyFields,
    onSubmit: submit,
    children: (
      <>
        {isFirst && (
          <div className="notice">
            <p className="section-title">{texts.first.title}</p>
            <p>{texts.first.text}</p>
          </div>
        )}
        <Field label={texts.name} hint={texts.nameHint} error={errorFor("name")}>
          <input
            ref={focusOnMount}
            value={draft.name}
            onChange={({ target }) => change("name", { name: target.value })}
          />
        </Field>
        <ScopeField
          chosen={draft.scopes}
          grantable={grantable}
          error={errorFor("scopes")}
          onChange={(scopes) => change("scopes", { scopes })}
        />
        {suggested && !suggested.scopes.every((scope) => draft.scopes.includes(scope)) && (
          <p className="warning">{suggested.needed}</p>
        )}
        {isFirst && !draft.scopes.includes("keys:manage") && (
          <p className="warning">{texts.first.unmanaged}</p>
        )}
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
      </>
    ),
  };
}

interface DraftOptions extends Pick<FormStepOptions, "isFirst" | "suggested"> {
  readonly grantable: readonly Scope[];
}

/** The first key gets all scopes by default. Without them, its owner would be locked out. */
function firstDraft({ isFirst, suggested, grantable }: DraftOptions): KeyDraft {
  const wanted: readonly Scope[] = suggested?.scopes ?? (isFirst ? everyScope : ["users:read"]);
  const scopes = wanted.filter((scope) => grantable.includes(scope));
  return {
    name: suggested?.name ?? "",
    scopes,
    expiry: "never",
    day: "",
    requests: "",
    seconds: "60",
    quota: "",
  };
}
