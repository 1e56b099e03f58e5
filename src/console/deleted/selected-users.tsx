import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { DeletedUser } from "../../client/index.ts";
import { focusNext } from "../lib/keep-focus.ts";
import { purgeUsers, restoreUsers, deletedUsers as texts } from "../texts/deleted.ts";
import { bulk } from "../texts/index.ts";
import { Button } from "../ui/button.tsx";
import { ArchiveRestore, Eraser, X } from "../ui/icons.ts";
import { showErrorToast, showToast } from "../ui/toasts.tsx";
import { type ManyProgress, ManyRun } from "../users/bulk/many-run.ts";
import { RunDialog } from "../users/bulk/run-dialog.tsx";
import { showRestored } from "../users/queries.ts";
import { purgeMany, readAllDeleted, restoreMany } from "./change-many.ts";
import { ConfirmPurge } from "./confirm-purge.tsx";
import { reloadDeleted } from "./queries.ts";

interface SelectedUsersProps {
  readonly users: readonly DeletedUser[];
  readonly canRestore: boolean;
  readonly canPurge: boolean;
  /** The search whose other results are not loaded yet; undefined if everything is selected. */
  readonly moreOf: string | undefined;
  readonly onSelect: (users: readonly DeletedUser[]) => void;
}

type Dialog = { readonly what: "confirm" } | { readonly what: "restore" | "purge"; readonly run: ManyRun };

/** Restores or erases the selected deleted users. */
export function SelectedUsers({ users, canRestore, canPurge, moreOf, onSelect }: SelectedUsersProps) {
  const [dialog, setDialog] = useState<Dialog>();
  const selectAll = useMutation({
    mutationFn: readAllDeleted,
    onSuccess: (found) => onSelect([...users, ...found]),
    onError: showErrorToast,
  });
  const count = users.length;
  const hasAll = selectAll.isSuccess && selectAll.variables === moreOf && count >= selectAll.data.length;
  const close = () => setDialog(undefined);
  const finish = (title: string, { changed }: ManyProgress) => {
    const done = new Set(changed);
    showToast({ title });
    onSelect(users.filter(({ id }) => !done.has(id)));
    close();
  };
  return (
    <div className="selection">
      <section className="selection-bar" aria-label={texts.selected}>
        <p className="selection-count" role="status">
          {bulk.selected(count)}
        </p>
        {moreOf !== undefined && !hasAll && (
          <Button
            kind="quiet"
            className="select-matching"
            busy={selectAll.isPending}
            onClick={({ currentTarget }) => {
              focusNext(currentTarget);
              selectAll.mutate(moreOf);
            }}
          >
            {moreOf === "" ? texts.selectAll.all : texts.selectAll.found}
          </Button>
        )}
        {canRestore && (
          <Button
            kind="quiet"
            icon={<ArchiveRestore aria-hidden />}
            onClick={() => setDialog({ what: "restore", run: new ManyRun(restoreMany(users)) })}
          >
            {texts.restore}
          </Button>
        )}
        {canPurge && (
          <Button
            kind="destructive"
            icon={<Eraser aria-hidden />}
            onClick={() => setDialog({ what: "confirm" })}
          >
            {texts.purge}
          </Button>
        )}
        <Button
          kind="quiet"
          icon={<X aria-hidden />}
          title={bulk.clearHint}
          aria-label={bulk.clear}
          onClick={() => onSelect([])}
        >
          <span className="hidden-on-phone">{bulk.clear}</span>
        </Button>
      </section>
      {dialog?.what === "confirm" && (
        <ConfirmPurge
          title={purgeUsers.title(count)}
          warning={purgeUsers.text(count)}
          expected={String(count)}
          label={purgeUsers.confirm(count)}
          action={purgeUsers.action(count)}
          onConfirm={() => setDialog({ what: "purge", run: new ManyRun(purgeMany(users)) })}
          onClose={close}
        />
      )}
      {dialog?.what === "restore" && (
        <RunDialog
          run={dialog.run}
          count={count}
          title={restoreUsers.running(count)}
          outcome={restoreUsers.outcome}
          onClose={close}
          onEnd={({ changed }) => {
            void showRestored(changed);
            void reloadDeleted();
          }}
          onDone={(end) => finish(restoreUsers.done(end.changed.length), end)}
        />
      )}
      {dialog?.what === "purge" && (
        <RunDialog
          run={dialog.run}
          count={count}
          title={purgeUsers.running(count)}
          outcome={purgeUsers.outcome}
          onClose={close}
          onEnd={() => void reloadDeleted()}
          onDone={(end) => finish(purgeUsers.done(end.changed.length), end)}
        />
      )}
    </div>
  );
}
