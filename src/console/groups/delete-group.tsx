import { useMutation } from "@tanstack/react-query";
import type { Group } from "../../client/index.ts";
import { isProblem, roster } from "../lib/api.ts";
import { deleteGroup as texts } from "../texts/groups.ts";
import { ConfirmTyped } from "../ui/confirm-typed.tsx";
import { showToast } from "../ui/toasts.tsx";
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
  return (
    <ConfirmTyped
      title={texts.title(name)}
      lead={texts.text(memberCount)}
      expected={memberCount > MAX_UNTYPED ? name : undefined}
      label={texts.typeName(name)}
      mismatch={texts.mismatch}
      action={texts.action}
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    />
  );
}
