import { type FormEvent, useId, useState } from "react";
import { bulk, shell } from "../../texts/index.ts";
import { Button } from "../../ui/button.tsx";
import { Confirm, Modal } from "../../ui/modal.tsx";
import { showToast } from "../../ui/toasts.tsx";
import { reloadUsers, removeCachedUsers } from "../queries.ts";
import type { MatchingUsers } from "../table/selection.ts";
import { EditFormFields } from "./edit-form.tsx";
import { type EditForm, parseEdit } from "./field-edit.ts";
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

/** Sets or removes one field of all users that match a search. */
export function EditMatching({ matching, fields, onClose, onDone }: MatchingDialogProps) {
  const [form, setForm] = useState<EditForm>({ field: "", action: "set", type: "text", text: "" });
  const [showErrors, setShowErrors] = useState(false);
  const [run, setRun] = useState<ManyRun>();
  const id = useId();
  const { count } = matching;
  const texts = bulk.editing;
  const read = parseEdit(form, count);
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
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setShowErrors(true);
    if (!("edit" in read)) return;
    const { field, value } = read.edit;
    setRun(new ManyRun(changeMatching(matching.search, { patch: { [field]: value ?? null } })));
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
      <form id={id} className="form" onSubmit={submit} autoComplete="off" noValidate>
        <EditFormFields
          users={[]}
          count={count}
          fields={fields}
          form={form}
          onChange={(change) => setForm({ ...form, ...change })}
          read={read}
          showErrors={showErrors}
        />
      </form>
    </Modal>
  );
}
