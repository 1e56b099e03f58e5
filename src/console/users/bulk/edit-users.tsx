import { useEffect, useId, useState } from "react";
import type { User } from "../../../client/index.ts";
import { isProblem } from "../../lib/api.ts";
import { bulk, shell } from "../../texts/index.ts";
import { Button } from "../../ui/button.tsx";
import { showToast } from "../../ui/toasts.tsx";
import { removeCachedUsers } from "../queries.ts";
import { offerUndo } from "../undo/undo.ts";
import { undoEdits } from "../undo/undo-edits.tsx";
import { whyNoUndo } from "../undo/undo-limit.ts";
import { EditForm } from "./edit-form.tsx";
import { editFailureText, UserEdits } from "./edit-user.ts";
import type { FieldEdits } from "./field-edit.ts";
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

/** Sets or removes fields of many users. */
export function EditUsers({ users: selected, fields, onClose, onDone }: EditUsersProps) {
  // The selection at the time the dialog opened.
  const [users] = useState(selected);
  const [edits, setEdits] = useState<FieldEdits>();
  const [done] = useState(() => new UserEdits());
  const job = useBulkJob();
  const id = useId();

  const begin = (of: readonly User[], what: FieldEdits) =>
    job.start({
      users: of,
      act: (seen) => done.apply(seen, what),
      onEnd: ({ failed, left }) => {
        if (failed.length === 0 && left === 0) onDone();
      },
    });
  // Also if the person leaves the page while the job runs.
  useEffect(() => () => offerUndoOf(done), [done]);
  const submit = (edits: FieldEdits) => {
    setEdits(edits);
    begin(users, edits);
  };
  const close = () => {
    const deleted = job.progress?.failed.filter(({ error }) => isProblem(error, "user-not-found")) ?? [];
    if (deleted.length > 0) removeCachedUsers(new Set(deleted.map(({ item }) => item.id)));
    if (done.edited.length > 0) onDone();
    else onClose();
  };

  return (
    <JobModal
      job={job}
      texts={texts}
      describeFailure={(error) => (edits ? editFailureText(error, edits) : "")}
      onAgain={() => edits && begin(job.unfinished(), edits)}
      onClose={close}
      before={{
        title: texts.title(users.length),
        body: (
          <EditForm
            id={id}
            users={users}
            count={users.length}
            fields={fields}
            noUndo={whyNoUndo(users.length)}
            onSubmit={submit}
          />
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

/** Requests that run when the person leaves the page are not aborted: an undo waits for them, and has their users, too. */
function offerUndoOf(edits: UserEdits): void {
  const count = edits.edited.length;
  if (count === 0) return;
  const text = whyNoUndo(count);
  if (text === undefined)
    offerUndo(texts.done(count), () => undoEdits({ count, find: () => edits.findEdited() }));
  else showToast({ title: texts.done(count), text });
}
