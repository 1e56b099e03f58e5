import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useEffect, useId, useRef, useState } from "react";
import { navigate } from "wouter/use-browser-location";
import type { DeletedUser } from "../../client/index.ts";
import { RequestError } from "../keys/request-error.tsx";
import { fieldErrors, isProblem, roster } from "../lib/api.ts";
import { restoreUser, deletedUsers as texts } from "../texts/deleted.ts";
import { shell } from "../texts/index.ts";
import { Button } from "../ui/button.tsx";
import { Field, focusFirstError } from "../ui/field.tsx";
import { Modal } from "../ui/modal.tsx";
import { showErrorToast, showToast } from "../ui/toasts.tsx";
import { showRestored } from "../users/queries.ts";
import { reloadDeleted } from "./queries.ts";

interface Restoring {
  readonly user: DeletedUser;
  /** Undefined keeps the email; null removes it. */
  readonly email?: string | null;
}

/** Restores users. Another user can have the email: then `conflict` is the user that needs another one. */
export function useRestore() {
  const [conflict, setConflict] = useState<DeletedUser>();
  const { mutate, error, isPending, variables, reset } = useMutation({
    mutationFn: ({ user, email }: Restoring) =>
      roster.deletedUsers.restore(user.id, { ifUnchanged: user, ...(email !== undefined && { email }) }),
    onSuccess: (_restored, { user }) => {
      setConflict(undefined);
      showToast({
        title: texts.restored(user.name),
        action: { label: texts.openRestored, run: () => navigate(`/users/${user.id}`) },
      });
      void showRestored([user.id]);
      return reloadDeleted();
    },
    onError: (error, { user, email }) => {
      if (isProblem(error, "user-not-found")) {
        setConflict(undefined);
        showToast({ ...texts.gone, kind: "failed" });
        void reloadDeleted();
      } else if (isProblem(error, "email-taken")) setConflict(user);
      else if (email === undefined) showErrorToast(error);
    },
  });
  return {
    conflict,
    error,
    isPending,
    pendingId: isPending ? variables.user.id : undefined,
    start: (user: DeletedUser, email?: string | null) =>
      mutate({ user, ...(email !== undefined && { email }) }),
    cancel: () => {
      setConflict(undefined);
      reset();
    },
  };
}

interface RestoreUserProps {
  readonly user: DeletedUser;
  readonly restore: ReturnType<typeof useRestore>;
}

/** Asks for another email, if another user has the email of the deleted one. */
export function RestoreUser({ user, restore }: RestoreUserProps) {
  const [email, setEmail] = useState(user.email ?? "");
  const [isEdited, setEdited] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const id = useId();
  const { error, isPending } = restore;
  const errors = fieldErrors(error);
  useEffect(() => {
    if (error && !isPending) focusFirstError(form.current);
  }, [error, isPending]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setEdited(false);
    restore.start(user, email.trim() === "" ? null : email.trim());
  };
  return (
    <Modal
      open
      onClose={restore.cancel}
      title={restoreUser.title(user.name)}
      lead={restoreUser.taken(user.email ?? "")}
      actions={
        <>
          <Button disabled={isPending} onClick={restore.cancel}>
            {shell.cancel}
          </Button>
          <Button kind="primary" type="submit" form={id} busy={isPending}>
            {restoreUser.action}
          </Button>
        </>
      }
    >
      <form id={id} ref={form} className="form" noValidate onSubmit={submit}>
        <Field
          label={restoreUser.email}
          hint={restoreUser.emailHint}
          error={isEdited ? undefined : errors.email}
        >
          <input
            type="email"
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            value={email}
            onChange={({ target }) => {
              setEmail(target.value);
              setEdited(true);
            }}
          />
        </Field>
        <RequestError error={error} fields={["email"]} />
      </form>
    </Modal>
  );
}
