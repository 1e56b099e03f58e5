import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useId, useState } from "react";
import type { DeletedUser } from "../../client/index.ts";
import { RequestError } from "../keys/request-error.tsx";
import { roster } from "../lib/api.ts";
import { purgeUser as texts } from "../texts/deleted.ts";
import { shell } from "../texts/index.ts";
import { Button } from "../ui/button.tsx";
import { Field } from "../ui/field.tsx";
import { Modal } from "../ui/modal.tsx";
import { showToast } from "../ui/toasts.tsx";
import { reloadDeleted } from "./queries.ts";

/** Erases a deleted user, after the person has typed the id. */
export function PurgeUser({ user, onClose }: { readonly user: DeletedUser; readonly onClose: () => void }) {
  const [typed, setTyped] = useState("");
  const [error, setError] = useState<string>();
  const form = useId();
  const id = String(user.id);
  const purge = useMutation({
    mutationFn: () => roster.deletedUsers.purge(user.id, { ifUnchanged: user }),
    onSuccess: () => {
      showToast({ title: texts.done(user.name) });
      onClose();
      return reloadDeleted();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (typed.trim() !== id) setError(texts.mismatch(id));
    else if (!purge.isPending) purge.mutate();
  };
  return (
    <Modal
      open
      onClose={onClose}
      title={texts.title(user.name)}
      actions={
        <>
          <Button disabled={purge.isPending} onClick={onClose}>
            {shell.cancel}
          </Button>
          <Button kind="danger" type="submit" form={form} busy={purge.isPending}>
            {texts.action}
          </Button>
        </>
      }
    >
      <p className="warning">{texts.text}</p>
      <p className="hint">{texts.backups}</p>
      <form id={form} className="form" noValidate autoComplete="off" onSubmit={submit}>
        <Field label={texts.confirm(id)} error={error}>
          <input
            inputMode="numeric"
            value={typed}
            onChange={({ target }) => {
              setTyped(target.value);
              setError(undefined);
            }}
          />
        </Field>
        <RequestError error={purge.error} />
      </form>
    </Modal>
  );
}
