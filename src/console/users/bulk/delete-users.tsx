import { useState } from "react";
import type { User } from "../../../client/index.ts";
import { roster } from "../../lib/api.ts";
import { keepsDeletedUsers } from "../../lib/session.ts";
import { bulk } from "../../texts/index.ts";
import { Confirm } from "../../ui/modal.tsx";
import { showToast } from "../../ui/toasts.tsx";
import { removeCachedUsers } from "../queries.ts";
import { offerRestore } from "../undo/offer-restore.ts";
import { JobModal } from "./job-modal.tsx";
import { defaultFailureText } from "./job-result.tsx";
import { EditConflictError, useBulkJob } from "./use-bulk-job.ts";

const texts = bulk.deleting;
const MAX_NAMES = 5;

interface DeleteUsersProps {
  readonly users: readonly User[];
  readonly onClose: () => void;
  /** All users are deleted. */
  readonly onDone: () => void;
}

/** Asks for confirmation, then deletes users. Deleted users leave the table after the last request. */
export function DeleteUsers({ users: selected, onClose, onDone }: DeleteUsersProps) {
  const [users] = useState(selected);
  const job = useBulkJob();
  const begin = (of: readonly User[]) => {
    const deleted = new Set<number>();
    const missing = new Set<number>();
    job.start({
      users: of,
      act: async (user) => {
        await roster.users.delete(user.id, { ifUnchanged: user });
        deleted.add(user.id);
        return undefined;
      },
      onNotFound: ({ id }) => missing.add(id),
      onEnd: ({ failed, left, done }) => {
        removeCachedUsers(new Set([...deleted, ...missing]));
        if (failed.length > 0 || left > 0) return;
        if (deleted.size > 0) offerRestore(texts.done(deleted.size), [...deleted]);
        else showToast({ title: texts.done(done) });
        onDone();
      },
    });
  };
  if (job.progress) {
    return (
      <JobModal
        job={job}
        texts={texts}
        describeFailure={(error) =>
          error instanceof EditConflictError ? texts.conflict : defaultFailureText(error)
        }
        onAgain={() => begin(job.unfinished())}
        onClose={onClose}
      />
    );
  }
  return (
    <Confirm
      open
      onClose={onClose}
      title={texts.title(users.length)}
      text={<UserNames users={users} />}
      confirmLabel={texts.submit(users.length)}
      onConfirm={() => begin(users)}
    />
  );
}

/** What a delete means, and whether it can be undone. */
export function deletionText(): string {
  return keepsDeletedUsers() ? texts.text : texts.erased;
}

function UserNames({ users }: { readonly users: readonly User[] }) {
  const more = users.length - MAX_NAMES;
  return (
    <>
      <p>{deletionText()}</p>
      <ul className="bulk-names">
        {users.slice(0, MAX_NAMES).map(({ id, name, email }) => (
          <li key={id}>
            {name} <span className="hint">{email}</span>
          </li>
        ))}
        {more > 0 && <li>{bulk.more(more)}</li>}
      </ul>
    </>
  );
}
