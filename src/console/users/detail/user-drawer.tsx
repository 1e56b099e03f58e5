import { useQuery } from "@tanstack/react-query";
import { ChevronDown, ChevronUp, Trash2, UserRoundX } from "lucide-react";
import { useEffect, useId, useRef, useState } from "react";
import type { User } from "../../../client/index.ts";
import { isProblem, queryClient } from "../../lib/api.ts";
import { useHasScope } from "../../lib/session.ts";
import { useSignInPrompt } from "../../lib/sign-in-prompt.ts";
import { useUnsavedChanges } from "../../lib/unsaved-changes.ts";
import { formatDateTime } from "../../texts/format.ts";
import { shell, user as texts } from "../../texts/index.ts";
import { Button } from "../../ui/button.tsx";
import { Confirm, Modal } from "../../ui/modal.tsx";
import { EmptyState, ErrorState, Loading } from "../../ui/states.tsx";
import { showToast } from "../../ui/toasts.tsx";
import { useTabTitle } from "../../ui/view.tsx";
import { fieldsQuery } from "../field-info.ts";
import { useNavigateKeepingParams } from "../list-params.ts";
import { reloadUsers, removeCachedUsers, updateCachedUser, userQuery } from "../queries.ts";
import { useShortcuts } from "../table/shortcuts.ts";
import { deleteWithUndo } from "../undoable-delete.ts";
import { ConflictForm } from "./conflict-form.tsx";
import { type UserEditor, useUserEditor } from "./use-user-editor.ts";
import { UserForm } from "./user-form.tsx";

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

/** Shows, edits, creates or deletes one user. */
export default function UserDrawer({ id, neighbours, onClose }: UserDrawerProps) {
  const form = useId();
  const query = useQuery({ ...userQuery(id ?? 0), enabled: id !== undefined });
  const canWrite = useHasScope("users:write");
  const [another, setAnother] = useState(false);
  const isOpen = useRef(true);
  useEffect(() => {
    isOpen.current = true;
    return () => {
      isOpen.current = false;
    };
  }, []);
  const done = (saved: User | undefined) => {
    if (saved) reportSaved(saved, editor.base);
    // The person may have closed the drawer before the response.
    if (!isOpen.current) return;
    if (saved && another && id === undefined) editor.startOver();
    else onClose();
  };
  const editor = useUserEditor(query.data, done);
  const leaving = useConfirmLeave(editor.dirty, onClose);
  const { base, stage } = editor;
  const isNotFound = isProblem(query.error, "user-not-found") && !editor.dirty;
  const isFormShown = !isNotFound && (base !== undefined || id === undefined || editor.dirty);

  const deletedId = stage.at === "deleted" ? id : undefined;
  useEffect(() => {
    // Remove the deleted user from the table when the drawer closes.
    if (deletedId !== undefined) return () => removeCachedUsers(new Set([deletedId]));
  }, [deletedId]);

  const title = () => {
    if (stage.at === "conflict") return texts.conflict.title;
    if (stage.at === "deleted") return texts.deleted.title;
    return base?.name ?? (id === undefined || editor.dirty ? texts.newTitle : texts.loadingTitle);
  };
  useTabTitle(title());
  const remove = () => {
    if (base) deleteWithUndo([base]);
    onClose();
  };
  return (
    <Modal
      open
      position="side"
      onClose={leaving.close}
      title={title()}
      {...(id !== undefined && { finalFocus: () => findRow(id) })}
      {...(neighbours && {
        tools: <Steps neighbours={neighbours} busy={editor.busy} onStep={leaving.stepTo} />,
      })}
      {...(stage.at === "deleted" && { lead: texts.deleted.text(nameOf(editor)) })}
      {...(stage.at === "conflict" && {
        lead: texts.conflict.lead(stage.theirs.name, formatDateTime(stage.theirs.updatedAt)),
      })}
      {...(isFormShown && {
        actions: (
          <Actions
            form={form}
            editor={editor}
            canWrite={canWrite}
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
          onChoose={(chosen) => editor.resolve(stage.theirs, chosen)}
        />
      ) : stage.at === "deleted" ? null : isFormShown ? (
        <UserForm id={form} editor={editor} canWrite={canWrite} navigate={leaving.leaveFor} />
      ) : isNotFound ? (
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
        confirmLabel={texts.unsaved.action}
        cancelLabel={texts.unsaved.stay}
        onConfirm={leaving.go}
      />
    </Modal>
  );
}

interface StepsProps {
  readonly neighbours: Neighbours;
  readonly busy: boolean;
  readonly onStep: (id: number) => void;
}

/** Buttons and keys for the previous and the next user of the list. */
function Steps({ neighbours, busy, onStep }: StepsProps) {
  const step = (to: number | undefined) => {
    if (to !== undefined && !busy) onStep(to);
  };
  useShortcuts({ k: () => step(neighbours.previous), j: () => step(neighbours.next) }, { inDialog: true });
  return (
    <>
      {(["previous", "next"] as const).map((direction) => (
        <Button
          key={direction}
          kind="quiet"
          icon={direction === "previous" ? <ChevronUp aria-hidden /> : <ChevronDown aria-hidden />}
          aria-label={texts.steps[direction]}
          title={texts.steps[`${direction}Hint`]}
          disabled={busy || neighbours[direction] === undefined}
          onClick={() => step(neighbours[direction])}
        />
      ))}
    </>
  );
}

/** The row of the user in the table, which takes the focus when the drawer closes. */
function findRow(id: number): HTMLElement | null {
  return document.querySelector(`.grid a[href="/users/${id}"]`)?.closest("tr") ?? null;
}

function reportSaved(saved: User, base: User | undefined): void {
  void queryClient.invalidateQueries({ queryKey: fieldsQuery.queryKey });
  if (base?.id === saved.id) {
    updateCachedUser(saved);
    showToast({ title: texts.saved(saved.name) });
  } else {
    void reloadUsers();
    showToast({ title: texts.created(saved.name) });
  }
}

interface ActionsProps {
  readonly form: string;
  readonly editor: UserEditor;
  readonly canWrite: boolean;
  /** Whether to create another user afterwards. Undefined for an existing user. */
  readonly another: boolean | undefined;
  readonly onAnother: (another: boolean) => void;
  readonly onClose: () => void;
  readonly onDelete: () => void;
}

/** Buttons for each stage. */
function Actions({ form, editor, canWrite, another, onAnother, onClose, onDelete }: ActionsProps) {
  const { base, stage, busy } = editor;
  if (!canWrite) return <Button onClick={onClose}>{shell.close}</Button>;
  if (stage.at === "deleted") {
    return (
      <>
        <Button onClick={onClose}>{texts.deleted.close}</Button>
        <Button kind="primary" busy={busy} onClick={editor.createAgain}>
          {texts.deleted.again}
        </Button>
      </>
    );
  }
  if (stage.at === "conflict") {
    return (
      <>
        <Button onClick={editor.backToForm}>{texts.conflict.back}</Button>
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
      <Button
        kind="primary"
        type="submit"
        form={form}
        busy={busy}
        disabled={base !== undefined && !editor.dirty}
      >
        {base ? texts.save : texts.create}
      </Button>
    </>
  );
}

/** Leaves the drawer, after a confirmation if there are unsaved changes. */
function useConfirmLeave(unsaved: boolean, onClose: () => void) {
  const go = useNavigateKeepingParams();
  const [target, setTarget] = useState<() => void>();
  const signingIn = useSignInPrompt() !== undefined;
  const leave = (how: () => void) => {
    // Ignore keys and clicks meant for the sign-in dialog above.
    if (signingIn) return;
    if (unsaved) setTarget(() => how);
    else how();
  };
  const close = () => leave(onClose);
  useUnsavedChanges(unsaved, close);
  return {
    asking: target !== undefined,
    close,
    leaveFor: (path: string) => leave(() => go(path)),
    /** Shows another user of the list. Back still returns to the list. */
    stepTo: (id: number) => leave(() => go(`/users/${id}`, { replace: true })),
    stay: () => setTarget(undefined),
    go: () => target?.(),
  };
}

function nameOf({ base, draft }: UserEditor): string {
  return base?.name ?? draft.name;
}
