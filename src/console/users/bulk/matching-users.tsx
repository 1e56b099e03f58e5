import { useId, useState } from "react";
import { bulk, shell } from "../../texts/index.ts";
import { Button } from "../../ui/button.tsx";
import { Confirm, Modal } from "../../ui/modal.tsx";
import { showToast } from "../../ui/toasts.tsx";
import { reloadUsers, removeCachedUsers } from "../queries.ts";
import type { MatchingUsers } from "../table/selection.ts";
import { EditForm } from "./edit-form.tsx";
import type { FieldEdits } from "./field-edit.ts";
import { changeMatching, ManyRun } from "./many-run.ts";
import { RunDialog } from "./run-dialog.tsx";
import { offerUndo } from "./undo-delete.ts";

interface MatchingDialogProps {
  readonly matching: MatchingUsers;
  readonly fields: readonly string[];
  readonly onClose: () => void;
  /** Some or all users have changed. */
  readonly onDone: () => void;
}

/** Deletes all users that match a search, after a confirmation. */
export function DeleteMatching({ matching, onClose, onDone }: MatchingDialogProps) {
  const [run, setRun] = useState<ManyRun>();
  const { count } = matching;
  const texts = bulk.deleting;
  if (run) {
    return (
      <RunDialog
        run={run}
        count={count}
        title={texts.running(count)}
        outcome={texts.outcome}
        onClose={onClose}
        onEnd={() => void reloadUsers()}
        onDone={({ changed }) => {
          removeCachedUsers(new Set(changed));
          if (changed.length > 0) offerUndo(changed);
          onDone();
        }}
      />
    );
  }
  return (
    <Confirm
      open
      onClose={onClose}
      title={texts.title(count)}
      text={texts.text}
      confirmLabel={texts.submit(count)}
      onConfirm={() => setRun(new ManyRun(changeMatching(matching.search, { delete: true })))}
    />
  );
}

/** Sets or removes fields of all users that match a search. */
export function EditMatching({ matching, fields, onClose, onDone }: MatchingDialogProps) {
  const [run, setRun] = useState<ManyRun>();
  const id = useId();
  const { count } = matching;
  const texts = bulk.editing;
  if (run) {
    return (
      <RunDialog
        run={run}
        count={count}
        title={texts.running(count)}
        outcome={texts.outcome}
        onClose={onClose}
        onEnd={() => void reloadUsers()}
        onDone={({ changed }) => {
          showToast({ title: texts.done(changed.length) });
          onDone();
        }}
      />
    );
  }
  const submit = (edits: FieldEdits) => {
    const patch = Object.fromEntries([...edits].map(([field, value]) => [field, value ?? null]));
    setRun(new ManyRun(changeMatching(matching.search, { patch })));
  };
  return (
    <Modal
      open
      onClose={onClose}
      title={texts.title(count)}
      actions={
        <>
          <Button onClick={onClose}>{shell.cancel}</Button>
          <Button kind="primary" type="submit" form={id}>
            {texts.submit(count)}
          </Button>
        </>
      }
    >
      <EditForm id={id} users={[]} count={count} fields={fields} onSubmit={submit} />
    </Modal>
  );
}
