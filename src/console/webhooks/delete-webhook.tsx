import { useMutation } from "@tanstack/react-query";
import type { Webhook } from "../../client/index.ts";
import { roster } from "../lib/api.ts";
import { deleteWebhook as texts, webhooks } from "../texts/webhooks.ts";
import { Confirm } from "../ui/modal.tsx";
import { showErrorToast, showToast } from "../ui/toasts.tsx";

interface DeleteWebhookProps {
  readonly webhook: Webhook;
  readonly onDeleted: () => unknown;
  readonly onClose: () => void;
}

export function DeleteWebhook({ webhook: { id, url }, onDeleted, onClose }: DeleteWebhookProps) {
  const remove = useMutation({
    mutationFn: () => roster.webhooks.delete(id),
    onSuccess: () => {
      showToast({ title: webhooks.deleted });
      return onDeleted();
    },
    onError: showErrorToast,
    onSettled: onClose,
  });
  return (
    <Confirm
      open
      onClose={onClose}
      title={texts.title}
      text={texts.text(url)}
      confirmLabel={texts.action}
      busy={remove.isPending}
      onConfirm={() => remove.mutate()}
    />
  );
}
