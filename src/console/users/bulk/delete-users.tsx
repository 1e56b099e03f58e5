import { useState } from "react";
import type { User } from "../../../client/index.ts";
import { roster } from "../../lib/api.ts";
import { bulk } from "../../texts/index.ts";
import { Confirm } from "../../ui/modal.tsx";
import { tell } from "../../ui/toasts.tsx";
import { showGone } from "../queries.ts";
import { JobModal } from "./job-modal.tsx";
import { usualReason } from "./job-result.tsx";
import { ChangedMeanwhile, useBulkJob } from "./use-bulk-job.ts";

const texts = bulk.deleting;
const MOST_NAMED = 5;

interface DeleteUsersProps {
  readonly users: readonly User[];
  readonly onClose: () => void;
  /** They are gone. */
  readonly onDone: () => void;
}

/** Asks, then deletes many. Those that are gone leave the table, and the selection, when the last one has been tried. */
export function DeleteUsers({ users: given, onClose, onDone }: DeleteUsersProps) {
  const [users] = useState(given);
  const job = useBulkJob();
  const begin = (of: readonly User[]) => {
    const gone = new Set<number>();
    job.start({
      users: of,
      act: async (user) => {
        await roster.users.delete(user.id, { ifUnchanged: user });
        gone.add(user.id);
        return undefined;
      },
      onMissing: ({ id }) => gone.add(id),
      onEnd: ({ failed, left, done }) => {
        showGone(gone);
        if (failed.length > 0 || left > 0) return;
        tell({ title: texts.done(done) });
        onDone();
      },
    });
  };
  if (job.progress) {
    return (
      <JobModal
        job={job}
        texts={texts}
        reasonOf={(error) =>
          error instanceof ChangedMeanwhile ? texts.changedMeanwhile : usualReason(error)
        }
        onAgain={() => begin(job.undone())}
        onClose={onClose}
      />
    );
  }
  return (
    <Confirm
      open
      onClose={onClose}
      title={texts.title(users.length)}
      text={<Named users={users} />}
      action={texts.submit(users.length)}
      onConfirm={() => begin(users)}
    />
  );
}

function Named({ users }: { readonly users: readonly User[] }) {
  const more = users.length - MOST_NAMED;
  return (
    <>
      <p>{texts.text}</p>
      <ul className="bulk-names">
        {users.slice(0, MOST_NAMED).map(({ id, name, email }) => (
          <li key={id}>
            {name} <span className="hint">{email}</span>
          </li>
        ))}
        {more > 0 && <li>{bulk.more(more)}</li>}
      </ul>
    </>
  );
}
