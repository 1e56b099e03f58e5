import { type FormEvent, useId, useRef, useState } from "react";
import type { User } from "../../../client/index.ts";
import { isProblem } from "../../lib/api.ts";
import { bulk, shell } from "../../texts/index.ts";
import { Button } from "../../ui/button.tsx";
import { showToast } from "../../ui/toasts.tsx";
import { removeCachedUsers } from "../queries.ts";
import { EditFormFields } from "./edit-form.tsx";
import { editFailureText, editUser } from "./edit-user.ts";
import { type EditForm, type FieldEdit, parseEdit } from "./field-edit.ts";
import { JobModal } from "./job-modal.tsx";
import { useBulkJob } from "./use-bulk-job.ts";

const texts = bulk.editing;

interface EditUsersProps {
  readonly users: readonly User[];
  readonly fields: readonly string[];
  /** Closed without changes. */
  readonly onClose: () => void;
  /** Closed after some or all users changed. */
  readonly onDone: () => void;
}

/** Sets or removes one field of many users. */
export function EditUsers({ users: selected, fields, onClose, onDone }: EditUsersProps) {
  // The selection at the time the dialog opened.
  const [users] = useState(selected);
  const [form, setForm] = useState<EditForm>({ field: "", action: "set", type: "text", text: "" });
  const [showErrors, setShowErrors] = useState(false);
  const [edit, setEdit] = useState<FieldEdit>();
  const changedAny = useRef(false);
  const job = useBulkJob();
  const id = useId();
  const read = parseEdit(form, users.length);

  const begin = (of: readonly User[], what: FieldEdit) =>
    job.start({
      users: of,
      act: async (seen) => {
        const user = await editUser(seen, what);
        changedAny.current = true;
        return user;
      },
      onEnd: ({ failed, left, done }) => {
        if (failed.length > 0 || left > 0) return;
        showToast({ title: texts.done(done) });
        onDone();
      },
    });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setShowErrors(true);
    if (!("edit" in read)) return;
    setEdit(read.edit);
    begin(users, read.edit);
  };
  const close = () => {
    const deleted = job.progress?.failed.filter(({ error }) => isProblem(error, "user-not-found")) ?? [];
    if (deleted.length > 0) removeCachedUsers(new Set(deleted.map(({ item }) => item.id)));
    if (changedAny.current) onDone();
    else onClose();
  };

  return (
    <JobModal
      job={job}
      texts={texts}
      describeFailure={(error) => (edit ? editFailureText(error, edit) : "")}
      onAgain={() => edit && begin(job.unfinished(), edit)}
      onClose={close}
      before={{
        title: texts.title(users.length),
        body: (
          <form id={id} className="form" onSubmit={submit} autoComplete="off" noValidate>
            <EditFormFields
              users={users}
              count={users.length}
              fields={fields}
              form={form}
              onChange={(change) => setForm({ ...form, ...change })}
              read={read}
              showErrors={showErrors}
            />
          </form>
        ),
        actions: (
          <>
            <Button onClick={onClose}>{shell.cancel}</Button>
            <Button kind="primary" type="submit" form={id}>
              {texts.submit(users.length)}
            </Button>
          </>
        ),
      }}
    />
  );
}
