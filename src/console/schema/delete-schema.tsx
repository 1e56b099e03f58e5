import { useMutation } from "@tanstack/react-query";
import { isProblem, queryClient, roster } from "../lib/api.ts";
import { deleteSchema as texts } from "../texts/schema.ts";
import { Confirm } from "../ui/modal.tsx";
import { showErrorToast, showToast } from "../ui/toasts.tsx";
import { schemaQuery } from "./queries.ts";

interface DeleteSchemaProps {
  readonly version: number;
  readonly onClose: () => void;
}

export function DeleteSchema({ version, onClose }: DeleteSchemaProps) {
  const remove = useMutation({
    mutationFn: () => roster.schema.remove({ ifMatch: version }),
    onSuccess: () => showToast({ title: texts.done }),
    onError: (error) => {
      if (isProblem(error, "version-mismatch"))
        showToast({ title: texts.conflict, kind: "failed", ms: 10_000 });
      else showErrorToast(error);
    },
    onSettled: () => {
      onClose();
      return queryClient.invalidateQueries({ queryKey: schemaQuery.queryKey });
    },
  });
  return (
    <Confirm
      open
      onClose={onClose}
      title={texts.title}
      text={texts.text}
      confirmLabel={texts.action}
      busy={remove.isPending}
      onConfirm={() => remove.mutate()}
    />
  );
}
