import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useId, useState } from "react";
import type { CreatedKey, Key } from "../../client/index.ts";
import { callWithKey, isMutating } from "../lib/api.ts";
import { useUnsavedChanges } from "../lib/unsaved-changes.ts";
import { shell, replaceKey as texts } from "../texts/index.ts";
import { Button } from "../ui/button.tsx";
import { Field } from "../ui/field.tsx";
import { Modal } from "../ui/modal.tsx";
import { Select } from "../ui/select.tsx";
import { OwnKeyField } from "./own-key-field.tsx";
import { RequestError } from "./request-error.tsx";

/** Seconds until the old key expires. */
const graces = ["0", "3600", "86400", "604800"] as const;

interface ReplaceKeyProps {
  readonly item: Key;
  readonly isCurrent: boolean;
  /** Whether the person has to enter the own key. */
  readonly needsKey: boolean;
  readonly onCreated: (created: CreatedKey) => void;
  readonly onClose: () => void;
}

export function ReplaceKey({ item, isCurrent, needsKey, onCreated, onClose }: ReplaceKeyProps) {
  const [grace, setGrace] = useState<(typeof graces)[number]>("86400");
  const [ownKey, setOwnKey] = useState(needsKey ? "" : undefined);
  const form = useId();
  const replace = useMutation({
    mutationKey: ["replace-key"],
    // The key is no argument: the cache would keep it.
    mutationFn: (graceSeconds: number) =>
      callWithKey(ownKey?.trim(), (client) => client.keys.replace(item.id, { graceSeconds })),
    // Drop the response from the cache: it contains the secret.
    gcTime: 0,
    onSuccess: onCreated,
  });
  // Leaving now would lose the secret.
  useUnsavedChanges(replace.isPending, () => undefined);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isMutating("replace-key")) replace.mutate(Number(grace));
  };
  return (
    <Modal
      open
      dismissible={!replace.isPending}
      onClose={onClose}
      title={texts.title(item.name)}
      lead={texts.lead}
      actions={
        <>
          <Button disabled={replace.isPending} onClick={onClose}>
            {shell.cancel}
          </Button>
          <Button kind="primary" type="submit" form={form} busy={replace.isPending}>
            {texts.submit}
          </Button>
        </>
      }
    >
      <form id={form} className="form" onSubmit={submit} noValidate autoComplete="off">
        <Field label={texts.grace} hint={grace === "0" ? texts.immediately : undefined}>
          <Select
            value={grace}
            options={graces}
            getLabel={(seconds) => texts.graces[seconds]}
            onChoose={setGrace}
          />
        </Field>
        {isCurrent && <p className="notice">{texts.current}</p>}
        {ownKey !== undefined && <OwnKeyField value={ownKey} error={replace.error} onChange={setOwnKey} />}
        <RequestError error={replace.error} />
      </form>
    </Modal>
  );
}
