import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useEffect, useId, useRef, useState } from "react";
import type { KeyInput, NewKey, Scope } from "../../client/index.ts";
import { scopes as everyScope, keyFields } from "../../contract/key.ts";
import { fieldFaults, isUnderWay, roster } from "../lib/api.ts";
import type { Who } from "../lib/session.ts";
import { useUnsaved } from "../lib/unsaved-changes.ts";
import { shell, newKey as texts } from "../texts/index.ts";
import { Button } from "../ui/button.tsx";
import { Field, focusFault } from "../ui/field.tsx";
import { Modal } from "../ui/modal.tsx";
import { Select } from "../ui/select.tsx";
import { type KeyDraft, expiries, parseKeyDraft } from "./key-draft.ts";
import { RateChoice } from "./rate-limit-field.tsx";
import { RequestError } from "./request-error.tsx";
import { ScopeChoice } from "./scope-field.tsx";

interface CreateKeyProps {
  readonly who: Who;
  readonly onMade: (made: NewKey) => void;
  readonly onClose: () => void;
}

export function CreateKey({ who, onMade, onClose }: CreateKeyProps) {
  const first = who.auth === "open";
  const [draft, setDraft] = useState<KeyDraft>(() => emptyDraft(first));
  const [ownFaults, setOwnFaults] = useState<Readonly<Record<string, string>>>({});
  /** The fields that have been changed since they were last found fault with. */
  const [mended, setMended] = useState<ReadonlySet<string>>(new Set());
  const form = useRef<HTMLFormElement>(null);
  const id = useId();
  const create = useMutation({
    mutationKey: ["create-key"],
    mutationFn: (input: KeyInput) => roster.keys.create(input),
    // The answer holds the secret: nothing but what shows it keeps it.
    gcTime: 0,
    onSuccess: onMade,
  });
  // Whoever left now would never see the secret.
  useUnsaved(create.isPending, () => undefined);
  const faults = { ...fieldFaults(create.error), ...ownFaults };
  const faulty = Object.keys(faults).join();
  useEffect(() => {
    if (faulty !== "" && !create.isPending) focusFault(form.current);
  }, [faulty, create.isPending]);

  const faultOf = (field: string) => (mended.has(field) ? undefined : faults[field]);
  const change = (field: string, part: Partial<KeyDraft>) => {
    setDraft({ ...draft, ...part });
    setMended(new Set(mended).add(field));
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setMended(new Set());
    const read = parseKeyDraft(draft);
    setOwnFaults(read.faults ?? {});
    if (read.faults) create.reset();
    else if (!isUnderWay("create-key")) create.mutate(read.input);
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
        <Field label={texts.name} hint={texts.nameHint} fault={faultOf("name")}>
          <input
            ref={focus}
            value={draft.name}
            onChange={({ target }) => change("name", { name: target.value })}
          />
        </Field>
        <ScopeChoice
          chosen={draft.scopes}
          grantable={who.scopes}
          fault={faultOf("scopes")}
          onChange={(scopes) => change("scopes", { scopes })}
        />
        {first && !draft.scopes.includes("keys:manage") && <p className="warning">{texts.first.unmanaged}</p>}
        <div className="pair">
          <Field label={texts.expiry} fault={draft.expiry === "day" ? undefined : faultOf("expiresAt")}>
            <Select
              value={draft.expiry}
              options={expiries}
              getLabel={(expiry) => texts.expiries[expiry]}
              onChoose={(expiry) => change("expiresAt", { expiry })}
            />
          </Field>
          {draft.expiry === "day" && (
            <Field label={texts.day} hint={texts.dayHint} fault={faultOf("expiresAt")}>
              <input
                type="date"
                max="9999-12-30"
                value={draft.day}
                onChange={({ target }) => change("expiresAt", { day: target.value })}
              />
            </Field>
          )}
        </div>
        <RateChoice
          requests={draft.requests}
          seconds={draft.seconds}
          fault={faultOf("rateLimit")}
          onChange={(part) => change("rateLimit", part)}
        />
        <Field label={texts.quota} hint={texts.quotaHint} fault={faultOf("quota")} className="half">
          <input
            inputMode="numeric"
            value={draft.quota}
            onChange={({ target }) => change("quota", { quota: target.value })}
          />
        </Field>
        <RequestError error={create.error} fields={keyFields} />
      </form>
    </Modal>
  );
}

/** What the dialog shows comes after its own first effects, so that none of them could do this. */
function focus(field: HTMLElement | null): void {
  field?.focus();
}

/** The first key is for whoever runs the service, who would be shut out of the rest without it. */
function emptyDraft(first: boolean): KeyDraft {
  const scopes: readonly Scope[] = first ? everyScope : ["users:read"];
  return { name: "", scopes, expiry: "never", day: "", requests: "", seconds: "60", quota: "" };
}
