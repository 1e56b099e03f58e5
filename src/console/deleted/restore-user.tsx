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
import { findTakenName, type NameField, type TakenName } from "../users/taken-name.ts";
import { reloadDeleted } from "./queries.ts";

/** What replaces the names of a user; null for none. */
type NewNames = Partial<Record<NameField, string | null>>;

interface Restoring {
  readonly user: DeletedUser;
  /** Absent at first: the user keeps its names. */
  readonly names?: NewNames;
}

/** A user that cannot be restored with its names. */
interface Conflict {
  readonly user: DeletedUser;
  /** The names that another user has now, one for each field. */
  readonly taken: readonly [TakenName, ...TakenName[]];
}

/** Restores users. Another user can have the email or the user name: then `conflict` says which user needs other ones. */
export function useRestore() {
  const [conflict, setConflict] = useState<Conflict>();
  const { mutate, error, isPending, variables, reset } = useMutation({
    mutationFn: ({ user, names }: Restoring) =>
      roster.deletedUsers.restore(user.id, { ifUnchanged: user, ...names }),
    onSuccess: (_restored, { user }) => {
      setConflict(undefined);
      showToast({
        title: texts.restored(user.name),
        action: { label: texts.openRestored, run: () => navigate(`/users/${user.id}`) },
      });
      void showRestored([user.id]);
      return reloadDeleted();
    },
    onError: (error, { user, names }) => {
      const taken = findTakenName(error);
      if (isProblem(error, "user-not-found")) {
        setConflict(undefined);
        showToast({ ...texts.gone, kind: "failed" });
        void reloadDeleted();
      } else if (taken) setConflict((before) => addTaken(before, user, taken));
      else if (!names) showErrorToast(error);
    },
  });
  return {
    conflict,
    error,
    isPending,
    pendingId: isPending ? variables.user.id : undefined,
    start: (user: DeletedUser, names?: NewNames) => mutate({ user, ...(names && { names }) }),
    cancel: () => {
      setConflict(undefined);
      reset();
    },
  };
}

/** The service names one conflict at a time. */
function addTaken(before: Conflict | undefined, user: DeletedUser, taken: TakenName): Conflict {
  if (!before) return { user, taken: [taken] };
  const isKnown = before.taken.some(({ field }) => field === taken.field);
  return isKnown ? before : { user, taken: [...before.taken, taken] };
}

interface RestoreUserProps extends Conflict {
  readonly restore: ReturnType<typeof useRestore>;
}

/** Asks for other names, if another user has the names of the deleted one. */
export function RestoreUser({ user, taken, restore }: RestoreUserProps) {
  const [names, setNames] = useState({ email: user.email ?? "", userName: user.userName ?? "" });
  const { error, isPending } = restore;
  const { form, errorFor, ...errors } = useFieldErrors(error, isPending);
  const fields = taken.map(({ field }) => field);
  const submit = () => {
    errors.submit({});
    restore.start(user, Object.fromEntries(fields.map((field) => [field, names[field].trim() || null])));
  };
  const lead = taken.flatMap(({ field, as }) => [
    restoreUser.taken[as](user[field] ?? ""),
    restoreUser.fields[field].lead,
  ]);
  return (
    <FormModal
      title={restoreUser.title(user.name)}
      lead={lead.join(" ")}
      form={form}
      submitLabel={restoreUser.action}
      busy={isPending}
      error={error}
      errorFields={fields}
      onSubmit={submit}
      onClose={restore.cancel}
    >
      {fields.map((field) => {
        const { label, hint } = restoreUser.fields[field];
        return (
          <Field key={field} label={label} hint={hint} error={errorFor(field)}>
            <input
              type={field === "email" ? "email" : "text"}
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              value={names[field]}
              onChange={({ target }) => {
                setNames({ ...names, [field]: target.value });
                errors.edit(field);
              }}
            />
          </Field>
        );
      })}
    </FormModal>
  );
}
