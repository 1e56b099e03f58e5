import { useMutation } from "@tanstack/react-query";
import type { Key } from "../../client/index.ts";
import { roster } from "../lib/api.ts";
import { isStillHere } from "../lib/session.ts";
import { formatAgo } from "../texts/format.ts";
import { revokeKey as texts } from "../texts/index.ts";
import { Confirm } from "../ui/modal.tsx";
import { tell, tellFailure } from "../ui/toasts.tsx";
import { reloadKeys } from "./queries.ts";

interface RevokeKeyProps {
  readonly item: Key;
  readonly own: boolean;
  /** Whether no other key may manage keys. */
  readonly last: boolean;
  readonly onClose: () => void;
}

export function RevokeKey({ item, own, last, onClose }: RevokeKeyProps) {
  const { name, lastUsedAt } = item;
  const revoke = useMutation({
    mutationFn: () => roster.keys.revoke(item.id),
    onSuccess: async () => {
      tell({ title: texts.done(name) });
      if (!own || (await isStillHere())) await reloadKeys();
    },
    onError: tellFailure,
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
            {texts.text} {lastUsedAt === null ? texts.unused : texts.lastUsed(formatAgo(lastUsedAt))}
          </p>
          {own && <p className="warning">{texts.own}</p>}
          {last && <p className="warning">{texts.last}</p>}
        </>
      }
      action={texts.action}
      busy={revoke.isPending}
      onConfirm={() => revoke.mutate()}
    />
  );
}
