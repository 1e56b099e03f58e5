import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { CreatedKey, Key } from "../../client/index.ts";
import { callWithKey, isMutating } from "../lib/api.ts";
import { replaceKey as texts } from "../texts/index.ts";
import { Field } from "../ui/field.tsx";
import { FormModal } from "../ui/form-modal.tsx";
import { Select } from "../ui/select.tsx";
import { OwnKeyField } from "./own-key-field.tsx";

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
  const replace = useMutation({
    mutationKey: ["replace-key"],
    // The key is not an argument: the cache would keep it.
    mutationFn: (graceSeconds: number) =>
      callWithKey(ownKey?.trim(), (client) => client.keys.replace(item.id, { graceSeconds })),
    // Drop the response from the cache: it contains the secret.
    gcTime: 0,
    onSuccess: onCreated,
  });
  const submit = () => {
    if (!isMutating("replace-key")) replace.mutate(Number(grace));
  };
  return (
    <FormModal
      title={texts.title(item.name)}
      lead={texts.lead}
      submitLabel={texts.submit}
      busy={replace.isPending}
      awaitsSecret
      error={replace.error}
      onSubmit={submit}
      onClose={onClose}
    >
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
    </FormModal>
  );
}
