import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { Group } from "../../client/index.ts";
import { isProblem, roster } from "../lib/api.ts";
import { deleteGroup as texts } from "../texts/groups.ts";
import { Field } from "../ui/field.tsx";
import { FormModal } from "../ui/form-modal.tsx";
import { showToast } from "../ui/toasts.tsx";
import { useFieldErrors } from "../ui/use-field-errors.ts";
import { forgetGroup } from "./queries.ts";

/** A person types the name of a group with more members than this to delete it. */
const MAX_UNTYPED = 10;

interface DeleteGroupProps {
  readonly group: Group;
  readonly onDeleted?: () => void;
  readonly onClose: () => void;
}

/** Asks before a group is deleted: it cannot be restored. */
export function DeleteGroup({ group: { id, name, memberCount }, onDeleted, onClose }: DeleteGroupProps) {
  const [typed, setTyped] = useState("");
  const remove = useMutation({
    mutationFn: async () => {
      await roster.groups.delete(id).catch((error: unknown) => {
        // Someone else has deleted it.
        if (!isProblem(error, "group-not-found")) throw error;
      });
    },
    onSuccess: () => {
      showToast({ title: texts.deleted(name) });
      onClose();
      onDeleted?.();
      forgetGroup(id);
    },
  });
  const { form, errorFor, ...errors } = useFieldErrors(null, false);
  const needsName = memberCount > MAX_UNTYPED;
  const submit = () => {
    const isConfirmed = !needsName || typed.trim() === name;
    errors.submit(isConfirmed ? {} : { typed: texts.mismatch });
    if (isConfirmed && !remove.isPending) remove.mutate();
  };
  return (
    <FormModal
      title={texts.title(name)}
      lead={texts.text(memberCount)}
      submitLabel={texts.action}
      danger
      form={form}
      busy={remove.isPending}
      error={remove.error}
      onSubmit={submit}
      onClose={onClose}
    >
      {needsName && (
        <Field label={texts.typeName(name)} error={errorFor("typed")}>
          <input
            dir="auto"
            autoCapitalize="none"
            spellCheck={false}
            value={typed}
            onChange={({ target }) => {
              setTyped(target.value);
              errors.edit("typed");
            }}
          />
        </Field>
      )}
    </FormModal>
  );
}
