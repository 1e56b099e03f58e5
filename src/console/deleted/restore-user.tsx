import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { navigate } from "wouter/use-browser-location";
import type { DeletedUser } from "../../client/index.ts";
import { isProblem, roster } from "../lib/api.ts";
import { restoreUser, deletedUsers as texts } from "../texts/deleted.ts";
import { Field } from "../ui/field.tsx";
import { FormModal } from "../ui/form-modal.tsx";
import { showErrorToast, showToast } from "../ui/toasts.tsx";
import { useFieldErrors } from "../ui/use-field-errors.ts";
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
  const { error, isPending } = restore;
  const { form, errorFor, ...errors } = useFieldErrors(error, isPending);
  const submit = () => {
    errors.submit({});
    restore.start(user, email.trim() === "" ? null : email.trim());
  };
  return (
    <FormModal
      title={restoreUser.title(user.name)}
      lead={restoreUser.taken(user.email ?? "")}
      form={form}
      submitLabel={restoreUser.action}
      busy={isPending}
      error={error}
      errorFields={["email"]}
      onSubmit={submit}
      onClose={restore.cancel}
    >
      <Field label={restoreUser.email} hint={restoreUser.emailHint} error={errorFor("email")}>
        <input
          type="email"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          value={email}
          onChange={({ target }) => {
            setEmail(target.value);
            errors.edit("email");
          }}
        />
      </Field>
    </FormModal>
  );
}
