import { useMutation } from "@tanstack/react-query";
import type { Key } from "../../client/index.ts";
import { roster } from "../lib/api.ts";
import { isStillSignedIn } from "../lib/session.ts";
import { formatRelativeTime } from "../texts/format.ts";
import { revokeKey as texts } from "../texts/index.ts";
import { Confirm } from "../ui/modal.tsx";
import { showErrorToast, showToast } from "../ui/toasts.tsx";
import { reloadKeys } from "./queries.ts";

interface RevokeKeyProps {
  readonly item: Key;
  readonly isCurrent: boolean;
  /** Whether no other active key has the scope keys:manage. */
  readonly isLastManager: boolean;
  readonly onClose: () => void;
}

export function RevokeKey({ item, isCurrent, isLastManager, onClose }: RevokeKeyProps) {
  const { name, lastUsedAt } = item;
  const revoke = useMutation({
    mutationFn: () => roster.keys.revoke(item.id),
    onSuccess: async () => {
      showToast({ title: texts.done(name) });
      if (!isCurrent || (await isStillSignedIn())) await reloadKeys();
    },
    onError: showErrorToast,
    onSettled: onClose,
  });
  return (
    <Confirm
      open
      onClose={onClose}
      title={texts.title(name)}
      text={
        <>
          <p>
            {texts.text} {lastUsedAt === null ? texts.unused : texts.lastUsed(formatRelativeTime(lastUsedAt))}
          </p>
          {isCurrent && <p className="warning">{texts.current}</p>}
          {isLastManager && <p className="warning">{texts.last}</p>}
        </>
      }
      confirmLabel={texts.action}
      busy={revoke.isPending}
      onConfirm={() => revoke.mutate()}
    />
  );
}
