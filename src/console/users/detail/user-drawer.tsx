import { useState } from "react";
import { Link } from "wouter";
import { useSearch } from "wouter/use-browser-location";
import { HistorySection } from "../../activity/history-section.tsx";
import { overList } from "../../lib/over-list.ts";
import { useShortcuts } from "../../shortcuts/use-shortcuts.ts";
import { shell, user as texts } from "../../texts/index.ts";
import { shortcuts } from "../../texts/shortcuts.ts";
import { Button } from "../../ui/button.tsx";
import { ChevronDown, ChevronUp, Maximize2, Trash2 } from "../../ui/icons.ts";
import { Modal } from "../../ui/modal.tsx";
import { useTabTitle } from "../../ui/view.tsx";
import { deleteUser } from "../delete-user.tsx";
import { useNavigateKeepingParams } from "../list-params.ts";
import { ConfirmLeave } from "./leave-guard.tsx";
import { describeStage, useOpenUser } from "./use-open-user.ts";
import { useUserCommands } from "./use-user-commands.ts";
import { MissingRecord, RecordActions, RecordContent } from "./user-content.tsx";
import { UserEmails } from "./user-emails.tsx";
import { RecordFacts } from "./user-facts.tsx";
import { UserForm } from "./user-form.tsx";
import { UserGroups } from "./user-groups.tsx";

interface UserDrawerProps {
  /** Undefined for a new user. */
  readonly id: number | undefined;
  /** The ids of the users before and after this one in the list. */
  readonly neighbours?: Neighbours;
  readonly onClose: () => void;
}

export interface Neighbours {
  readonly previous: number | undefined;
  readonly next: number | undefined;
}

/** Shows, edits, creates or deletes one user over the list. */
export default function UserDrawer({ id, neighbours, onClose }: UserDrawerProps) {
  const [another, setAnother] = useState(false);
  const open = useOpenUser(id, (saved) => {
    if (saved && another && id === undefined) editor.startOver();
    else guard.leave(onClose);
  });
  const { editor, guard, canWrite } = open;
  const { base } = editor;
  const stage = describeStage(open);
  const title = stage?.title ?? open.name;
  useTabTitle(title);
  const close = () => {
    if (!guard.isSigningIn) onClose();
  };
  const remove = () => {
    if (base) deleteUser(base, () => guard.leave(onClose));
  };
  const go = useNavigateKeepingParams();
  useUserCommands(open, { onDelete: remove, openPage: () => go(`/users/${id}`) });
  const actions = canWrite ? (
    <RecordActions open={open} cancelLabel={shell.cancel} onCancel={close} onClose={close}>
      {base && (
        <Button kind="destructive" icon={<Trash2 aria-hidden />} onClick={remove}>
          {texts.delete}
        </Button>
      )}
      {id === undefined && (
        <label className="check-line another">
          <input type="checkbox" checked={another} onChange={(event) => setAnother(event.target.checked)} />
          {texts.another}
        </label>
      )}
    </RecordActions>
  ) : (
    <Button onClick={close}>{shell.close}</Button>
  );
  return (
    <Modal
      open
      position="side"
      onClose={close}
      title={title}
      {...(stage && { lead: stage.lead })}
      {...(id !== undefined && { finalFocus: () => findRow(id) })}
      tools={
        <>
          {neighbours && <Steps neighbours={neighbours} busy={editor.busy} />}
          {id !== undefined && <PageLink id={id} />}
        </>
      }
      {...(open.instead === undefined && { actions })}
    >
      {base && !stage && <RecordFacts of={base} />}
      <RecordContent open={open}>
        <UserForm open={open} level={3} />
      </RecordContent>
      {open.instead === "missing" && (
        <MissingRecord kind={editor.kind} level={2}>
          <Button kind="primary" onClick={close}>
            {texts.gone.action}
          </Button>
        </MissingRecord>
      )}
      {base && !stage && <UserEmails user={base} level={3} />}
      {base && !stage && <UserGroups user={base} level={3} />}
      {base && !stage && <HistorySection user={base} level={3} folded />}
      <ConfirmLeave guard={guard} />
    </Modal>
  );
}

interface StepsProps {
  readonly neighbours: Neighbours;
  readonly busy: boolean;
}

/** Buttons and keys for the previous and the next user of the list. Back still returns to the list. */
function Steps({ neighbours, busy }: StepsProps) {
  const go = useNavigateKeepingParams();
  const step = (to: number | undefined) => {
    if (to !== undefined && !busy) go(`/users/${to}`, { replace: true, state: overList });
  };
  useShortcuts(
    [
      [shortcuts.user.previous, () => step(neighbours.previous)],
      [shortcuts.user.next, () => step(neighbours.next)],
    ],
    { inDrawer: true },
  );
  return (["previous", "next"] as const).map((direction) => (
    <Button
      key={direction}
      kind="quiet"
      icon={direction === "previous" ? <ChevronUp aria-hidden /> : <ChevronDown aria-hidden />}
      aria-label={texts.steps[direction]}
      title={texts.steps[`${direction}Hint`]}
      disabled={busy || neighbours[direction] === undefined}
      onClick={() => step(neighbours[direction])}
    />
  ));
}

/** A link, so that browsers can open the page in a new tab. */
function PageLink({ id }: { readonly id: number }) {
  return (
    <Link
      href={`/users/${id}${useSearch()}`}
      className="button quiet icon-only"
      aria-label={texts.openPage}
      title={texts.openPage}
    >
      <Maximize2 aria-hidden />
    </Link>
  );
}

/** The row of the user in the table, which takes the focus when the drawer closes. */
function findRow(id: number): HTMLElement | null {
  return document.querySelector(`.grid a[href="/users/${id}"]`)?.closest("tr") ?? null;
}
