import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useId, useState } from "react";
import type { Key, NewKey } from "../../client/index.ts";
import { roster } from "../api.ts";
import { shell, replaceKey as texts } from "../texts/index.ts";
import { Button } from "../ui/button.tsx";
import { Field } from "../ui/field.tsx";
import { Modal } from "../ui/modal.tsx";
import { Refused } from "./refused.tsx";

interface ReplaceKeyProps {
  readonly item: Key;
  readonly own: boolean;
  readonly onMade: (made: NewKey) => void;
  readonly onClose: () => void;
}

export function ReplaceKey({ item, own, onMade, onClose }: ReplaceKeyProps) {
  const [grace, setGrace] = useState("86400");
  const form = useId();
  const replace = useMutation({
    mutationFn: (graceSeconds: number) => roster.keys.replace(item.id, { graceSeconds }),
    // The answer holds the secret: nothing but what shows it keeps it.
    gcTime: 0,
    onSuccess: onMade,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    replace.mutate(Number(grace));
  };
  return (
    <Modal
      open
      onClose={onClose}
      title={texts.title(item.name)}
      lead={texts.lead}
      actions={
        <>
          <Button onClick={onClose}>{shell.cancel}</Button>
          <Button kind="primary" type="submit" form={form} busy={replace.isPending}>
            {texts.submit}
          </Button>
        </>
      }
    >
      <form id={form} className="form" onSubmit={submit}>
        <Field label={texts.grace} hint={grace === "0" ? texts.atOnce : undefined}>
          <select value={grace} onChange={(event) => setGrace(event.target.value)}>
            {Object.entries(texts.graces).map(([seconds, label]) => (
              <option key={seconds} value={seconds}>
                {label}
              </option>
            ))}
          </select>
        </Field>
        {own && <p className="notice">{texts.own}</p>}
        <Refused error={replace.error} />
      </form>
    </Modal>
  );
}
