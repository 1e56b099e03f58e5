import { useId, useState } from "react";
import { useHasScope } from "../../lib/session.ts";
import { bulk, shell } from "../../texts/index.ts";
import { Button } from "../../ui/button.tsx";
import { Confirm, Modal } from "../../ui/modal.tsx";
import { showToast } from "../../ui/toasts.tsx";
import { reloadUsers, removeCachedUsers } from "../queries.ts";
import type { MatchingUsers } from "../table/selection.ts";
import { EditRequests } from "../undo/edit-requests.ts";
import { offerRestore } from "../undo/offer-restore.ts";
import { offerUndo } from "../undo/undo.ts";
import { undoEdits } from "../undo/undo-edits.tsx";
import { whyNoUndo } from "../undo/undo-limit.ts";
import { deleteMatching, editMatching } from "./change-matching.ts";
import { deletionText } from "./delete-users.tsx";
import { EditForm } from "./edit-form.tsx";
import type { FieldEdits } from "./field-edit.ts";
import { ManyRun } from "./many-run.ts";
import { RunDialog } from "./run-dialog.tsx";

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
          if (changed.length > 0) offerRestore(texts.done(changed.length), changed);
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
      text={deletionText()}
      confirmLabel={texts.submit(count)}
      onConfirm={() => setRun(new ManyRun(deleteMatching(matching.search)))}
    />
  );
}

/** Sets or removes fields of all users that match a search. */
export function EditMatching({ matching, fields, onClose, onDone }: MatchingDialogProps) {
  const [run, setRun] = useState<ManyRun>();
  // Without the scope, nothing finds the old values.
  const canFindOldValues = useHasScope("events:read");
  const [requests] = useState(() => new EditRequests());
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
          const text = whyNoUndo(changed.length, canFindOldValues);
          if (text === undefined) offerUndo(texts.done(changed.length), () => undo(changed.length, requests));
          else showToast({ title: texts.done(changed.length), text });
          onDone();
        }}
      />
    );
  }
  const submit = (edits: FieldEdits) => {
    const patch = Object.fromEntries([...edits].map(([field, value]) => [field, value ?? null]));
    setRun(new ManyRun(editMatching(matching.search, patch, canFindOldValues ? requests : undefined)));
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
      <EditForm
        id={id}
        users={[]}
        count={count}
        fields={fields}
        noUndo={whyNoUndo(count, canFindOldValues)}
        onSubmit={submit}
      />
    </Modal>
  );
}

/** The users may match the search again. */
async function undo(count: number, { findEdited }: EditRequests): Promise<boolean> {
  try {
    return await undoEdits({ count, find: findEdited });
  } finally {
    await reloadUsers();
  }
}
