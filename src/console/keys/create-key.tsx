import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useEffect, useId, useRef, useState } from "react";
import type { KeyInput, NewKey, Scope } from "../../client/index.ts";
import { fieldFaults, roster } from "../api.ts";
import type { Who } from "../app/who.ts";
import { shell, newKey as texts } from "../texts/index.ts";
import { Button } from "../ui/button.tsx";
import { Field } from "../ui/field.tsx";
import { Modal } from "../ui/modal.tsx";
import { type Draft, expiries, readDraft } from "./draft.ts";
import { RateChoice } from "./rate-choice.tsx";
import { Refused } from "./refused.tsx";
import { everyScope, ScopeChoice } from "./scope-choice.tsx";

interface CreateKeyProps {
  readonly who: Who;
  readonly onMade: (made: NewKey) => void;
  readonly onClose: () => void;
}

const fields = ["name", "scopes", "expiresAt", "rateLimit", "quota"];

export function CreateKey({ who, onMade, onClose }: CreateKeyProps) {
  const first = who.auth === "open";
  const [draft, setDraft] = useState<Draft>(() => begin(first));
  const [ownFaults, setOwnFaults] = useState<Readonly<Record<string, string>>>({});
  const form = useRef<HTMLFormElement>(null);
  const id = useId();
  const create = useMutation({
    mutationFn: (input: KeyInput) => roster.keys.create(input),
    // The answer holds the secret: nothing but what shows it keeps it.
    gcTime: 0,
    onSuccess: onMade,
  });
  const faults = { ...fieldFaults(create.error), ...ownFaults };
  const faulty = Object.keys(faults).join();
  useEffect(() => {
    if (faulty !== "" && !create.isPending)
      form.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  }, [faulty, create.isPending]);

  const change = (part: Partial<Draft>) => setDraft({ ...draft, ...part });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const read = readDraft(draft);
    setOwnFaults(read.faults ?? {});
    if (read.faults) create.reset();
    else create.mutate(read.input);
  };
  return (
    <Modal
      open
      onClose={onClose}
      title={texts.title}
      actions={
        <>
          <Button onClick={onClose}>{shell.cancel}</Button>
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
        <Field label={texts.name} hint={texts.nameHint} fault={faults.name}>
          <input ref={focus} value={draft.name} onChange={({ target }) => change({ name: target.value })} />
        </Field>
        <ScopeChoice
          chosen={draft.scopes}
          grantable={who.scopes}
          fault={faults.scopes}
          onChange={(scopes) => change({ scopes })}
        />
        {first && !draft.scopes.includes("keys:manage") && <p className="warning">{texts.first.unmanaged}</p>}
        <div className="pair">
          <Field label={texts.expiry} fault={draft.expiry === "day" ? undefined : faults.expiresAt}>
            <select
              value={draft.expiry}
              onChange={({ target }) =>
                change({ expiry: expiries.find((each) => each === target.value) ?? "never" })
              }
            >
              {expiries.map((expiry) => (
                <option key={expiry} value={expiry}>
                  {texts.expiries[expiry]}
                </option>
              ))}
            </select>
          </Field>
          {draft.expiry === "day" && (
            <Field label={texts.day} hint={texts.dayHint} fault={faults.expiresAt}>
              <input
                type="date"
                max="9999-12-30"
                value={draft.day}
                onChange={({ target }) => change({ day: target.value })}
              />
            </Field>
          )}
        </div>
        <RateChoice
          requests={draft.requests}
          seconds={draft.seconds}
          fault={faults.rateLimit}
          onChange={change}
        />
        <Field label={texts.quota} hint={texts.quotaHint} fault={faults.quota} className="half">
          <input
            inputMode="numeric"
            value={draft.quota}
            onChange={({ target }) => change({ quota: target.value })}
          />
        </Field>
        <Refused error={create.error} fields={fields} />
      </form>
    </Modal>
  );
}

/** What the dialog shows comes after its own first effects, so that none of them could do this. */
function focus(field: HTMLElement | null): void {
  field?.focus();
}

/** The first key is for whoever runs the service, who would be shut out of the rest without it. */
function begin(first: boolean): Draft {
  const scopes: readonly Scope[] = first ? everyScope : ["users:read"];
  return { name: "", scopes, expiry: "never", day: "", requests: "", seconds: "60", quota: "" };
}
