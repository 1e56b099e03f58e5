import { useState } from "react";
import type { Group } from "../../../client/index.ts";
import { GroupChoice } from "../../groups/group-choice.tsx";
import { showOwnMembers } from "../../groups/queries.ts";
import { shell } from "../../texts/index.ts";
import { bulkMembers } from "../../texts/memberships.ts";
import { Button } from "../../ui/button.tsx";
import { Modal } from "../../ui/modal.tsx";
import { showToast } from "../../ui/toasts.tsx";
import { offerUndo } from "../undo/undo.ts";
import { undoWith } from "../undo/undo-edits.tsx";
import {
  changeMembers,
  changeMembersBack,
  countOf,
  type ManyUsers,
  type MemberChange,
} from "./change-matching.ts";
import { type ManyProgress, ManyRun } from "./many-run.ts";
import { RunDialog } from "./run-dialog.tsx";

interface ChangeMembersProps {
  readonly kind: MemberChange;
  readonly of: ManyUsers;
  /** The group, if the person does not choose it. */
  readonly group?: Group;
  readonly onClose: () => void;
  /** Some or all users have changed, or none had to. */
  readonly onDone: () => void;
}

/** Adds many users to a group, or removes them: the choice of the group, a confirmation, and the run. */
export function ChangeMembers({ kind, of: selected, group: given, onClose, onDone }: ChangeMembersProps) {
  // The selection at the time the dialog opened.
  const [of] = useState(selected);
  const [group, setGroup] = useState(given);
  const [run, setRun] = useState<ManyRun>();
  const texts = bulkMembers[kind];
  const count = countOf(of);
  if (!group) {
    return (
      <Modal
        key="choice"
        open
        onClose={onClose}
        title={texts.choose(count)}
        actions={<Button onClick={onClose}>{shell.cancel}</Button>}
      >
        <GroupChoice canCreate={kind === "add"} onChoose={setGroup} />
      </Modal>
    );
  }
  const { id, name } = group;
  if (!run) {
    return (
      <Modal
        key="confirmation"
        open
        onClose={onClose}
        title={texts.title(count, name)}
        lead={texts.text}
        actions={
          <>
            <Button onClick={() => (given ? onClose() : setGroup(undefined))}>
              {given ? shell.cancel : bulkMembers.back}
            </Button>
            <Button kind="primary" onClick={() => setRun(new ManyRun(changeMembers(kind, id, of)))}>
              {texts.submit(count)}
            </Button>
          </>
        }
      />
    );
  }
  const finish = ({ changed, found, failed, stopped }: ManyProgress) => {
    const others = stopped || failed.length > 0 ? 0 : count - found;
    const text = others > 0 ? texts.others(others) : undefined;
    if (changed.length > 0) {
      offerUndo(texts.done(changed.length, name), () => undo(kind, id, changed), { text });
    } else showToast({ title: texts.nothing(count, name) });
    onDone();
  };
  return (
    <RunDialog
      run={run}
      count={count}
      title={texts.running(count, name)}
      outcome={texts.outcome}
      onClose={onClose}
      onEnd={() => void showOwnMembers(id)}
      onDone={finish}
    />
  );
}

async function undo(kind: MemberChange, group: number, ids: readonly number[]): Promise<boolean> {
  try {
    return await undoWith(changeMembersBack(kind, group, ids), ids.length);
  } finally {
    await showOwnMembers(group);
  }
}
