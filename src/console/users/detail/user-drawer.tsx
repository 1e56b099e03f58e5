import { useQuery } from "@tanstack/react-query";
import { Trash2, UserRoundX } from "lucide-react";
import { useEffect, useId, useRef, useState } from "react";
import type { User } from "../../../client/index.ts";
import { isRefusal } from "../../lib/api.ts";
import { useMay } from "../../lib/session.ts";
import { useAskedToSignIn } from "../../lib/sign-in-prompt.ts";
import { useUnsaved } from "../../lib/unsaved-changes.ts";
import { formatMoment } from "../../texts/format.ts";
import { shell, user as texts } from "../../texts/index.ts";
import { Button } from "../../ui/button.tsx";
import { Confirm, Modal } from "../../ui/modal.tsx";
import { ErrorState, Loading, EmptyState } from "../../ui/states.tsx";
import { tell } from "../../ui/toasts.tsx";
import { useGo } from "../list-params.ts";
import { reloadUsers, showChanged, showGone, userQuery } from "../queries.ts";
import { deleteSoon } from "../undoable-delete.ts";
import { ConflictForm } from "./conflict-form.tsx";
import { type Editing, useEditing } from "./use-user-editor.ts";
import { UserForm } from "./user-form.tsx";

interface UserDrawerProps {
  /** Undefined for a new one. */
  readonly id: number | undefined;
  readonly onClose: () => void;
}

/** One user, to look at, change, create or delete. */
export default function UserDrawer({ id, onClose }: UserDrawerProps) {
  const form = useId();
  const query = useQuery({ ...userQuery(id ?? 0), enabled: id !== undefined });
  const mayWrite = useMay("users:write");
  const [another, setAnother] = useState(false);
  const isOpen = useRef(true);
  useEffect(() => {
    isOpen.current = true;
    return () => {
      isOpen.current = false;
    };
  }, []);
  const done = (saved: User | undefined) => {
    if (saved) tellSaved(saved, editing.base);
    // Whoever closed it meanwhile is elsewhere by now.
    if (!isOpen.current) return;
    if (saved && another && id === undefined) editing.startOver();
    else onClose();
  };
  const editing = useEditing(query.data, done);
  const leaving = useLeaving(editing.dirty, onClose);
  const { base, stage } = editing;
  const gone = isRefusal(query.error, "user-not-found") && !editing.dirty;
  const shown = !gone && (base !== undefined || id === undefined || editing.dirty);

  const lost = stage.at === "deleted" ? id : undefined;
  useEffect(() => {
    // When nobody looks at it any more.
    if (lost !== undefined) return () => showGone(new Set([lost]));
  }, [lost]);

  const title = () => {
    if (stage.at === "conflict") return texts.conflict.title;
    if (stage.at === "deleted") return texts.deleted.title;
    return base?.name ?? (id === undefined || editing.dirty ? texts.newTitle : texts.loadingTitle);
  };
  const remove = () => {
    if (base) deleteSoon([base]);
    onClose();
  };
  return (
    <Modal
      open
      place="side"
      onClose={leaving.close}
      title={title()}
      {...(stage.at === "deleted" && { lead: texts.deleted.text(nameOf(editing)) })}
      {...(stage.at === "conflict" && {
        lead: texts.conflict.lead(stage.theirs.name, formatMoment(stage.theirs.updatedAt)),
      })}
      {...(shown && {
        actions: (
          <Actions
            form={form}
            editing={editing}
            mayWrite={mayWrite}
            another={id === undefined ? another : undefined}
            onAnother={setAnother}
            onClose={leaving.close}
            onDelete={remove}
          />
        ),
      })}
    >
      {stage.at === "conflict" ? (
        <ConflictForm
          key={stage.theirs.version}
          id={form}
          was={stage.was}
          mine={stage.mine}
          theirs={stage.theirs}
          onChoose={(chosen) => editing.resolve(stage.theirs, chosen)}
        />
      ) : stage.at === "deleted" ? null : shown ? (
        <UserForm id={form} editing={editing} mayWrite={mayWrite} onLeave={leaving.leaveFor} />
      ) : gone ? (
        <EmptyState icon={UserRoundX} title={texts.gone.title} text={texts.gone.text}>
          <Button kind="primary" onClick={onClose}>
            {texts.gone.action}
          </Button>
        </EmptyState>
      ) : query.error ? (
        <ErrorState error={query.error} retry={() => void query.refetch()} />
      ) : (
        <Loading />
      )}
      <Confirm
        open={leaving.asking}
        onClose={leaving.stay}
        title={texts.unsaved.title}
        text={texts.unsaved.text}
        action={texts.unsaved.action}
        stay={texts.unsaved.stay}
        onConfirm={leaving.go}
      />
    </Modal>
  );
}

function tellSaved(saved: User, base: User | undefined): void {
  if (base?.id === saved.id) {
    showChanged(saved);
    tell({ title: texts.saved(saved.name) });
  } else {
    void reloadUsers();
    tell({ title: texts.created(saved.name) });
  }
}

interface ActionsProps {
  readonly form: string;
  readonly editing: Editing;
  readonly mayWrite: boolean;
  /** Undefined where nothing is created. */
  readonly another: boolean | undefined;
  readonly onAnother: (another: boolean) => void;
  readonly onClose: () => void;
  readonly onDelete: () => void;
}

/** What can be done at each stage. */
function Actions({ form, editing, mayWrite, another, onAnother, onClose, onDelete }: ActionsProps) {
  const { base, stage, busy } = editing;
  if (!mayWrite) return <Button onClick={onClose}>{shell.close}</Button>;
  if (stage.at === "deleted") {
    return (
      <>
        <Button onClick={onClose}>{texts.deleted.close}</Button>
        <Button kind="primary" busy={busy} onClick={editing.createAnew}>
          {texts.deleted.anew}
        </Button>
      </>
    );
  }
  if (stage.at === "conflict") {
    return (
      <>
        <Button onClick={editing.backToForm}>{texts.conflict.back}</Button>
        <Button kind="primary" type="submit" form={form} busy={busy}>
          {texts.conflict.save}
        </Button>
      </>
    );
  }
  return (
    <>
      {base && (
        <Button kind="quiet" className="delete" icon={<Trash2 aria-hidden />} onClick={onDelete}>
          {texts.delete}
        </Button>
      )}
      {another !== undefined && (
        <label className="check-line another">
          <input type="checkbox" checked={another} onChange={(event) => onAnother(event.target.checked)} />
          {texts.another}
        </label>
      )}
      <Button onClick={onClose}>{shell.cancel}</Button>
      <Button kind="primary" type="submit" form={form} busy={busy}>
        {base ? texts.save : texts.create}
      </Button>
    </>
  );
}

/** Goes, or asks first if that would lose something. */
function useLeaving(unsaved: boolean, onClose: () => void) {
  const go = useGo();
  const [target, setTarget] = useState<() => void>();
  const signingIn = useAskedToSignIn() !== undefined;
  const leave = (how: () => void) => {
    // Whatever is pressed in the dialog that lies above is not meant for what lies beneath.
    if (signingIn) return;
    if (unsaved) setTarget(() => how);
    else how();
  };
  const close = () => leave(onClose);
  useUnsaved(unsaved, close);
  return {
    asking: target !== undefined,
    close,
    leaveFor: (path: string) => leave(() => go(path)),
    stay: () => setTarget(undefined),
    go: () => target?.(),
  };
}

function nameOf({ base, draft }: Editing): string {
  return base?.name ?? draft.name;
}
