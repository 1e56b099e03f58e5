import { useMutation } from "@tanstack/react-query";
import type { DeletedUser } from "../../client/index.ts";
import { roster } from "../lib/api.ts";
import { purgeUser as texts } from "../texts/deleted.ts";
import { showToast } from "../ui/toasts.tsx";
import { ConfirmPurge } from "./confirm-purge.tsx";
import { reloadDeleted } from "./queries.ts";

/** Erases a deleted user, after the person has typed the id. */
export function PurgeUser({ user, onClose }: { readonly user: DeletedUser; readonly onClose: () => void }) {
  const id = String(user.id);
  const purge = useMutation({
    mutationFn: () => roster.deletedUsers.purge(user.id, { ifUnchanged: user }),
    onSuccess: () => {
      showToast({ title: texts.done(user.name) });
      onClose();
      return reloadDeleted();
    },
  });
  return (
    <ConfirmPurge
      title={texts.title(user.name)}
      warning={texts.text}
      expected={id}
      label={texts.confirm(id)}
      action={texts.action}
      busy={purge.isPending}
      error={purge.error}
      onConfirm={() => purge.mutate()}
      onClose={onClose}
    />
  );
}
