import { type FormEvent, useEffect, useId, useState, useSyncExternalStore } from "react";
import { describeError } from "../../lib/api.ts";
import { useConfirmBeforeUnload } from "../../lib/unsaved-changes.ts";
import { bulk, shell } from "../../texts/index.ts";
import { Button } from "../../ui/button.tsx";
import { Confirm, Modal } from "../../ui/modal.tsx";
import { Progress } from "../../ui/progress.tsx";
import { Alert } from "../../ui/states.tsx";
import { showToast } from "../../ui/toasts.tsx";
import { reloadUsers, removeCachedUsers } from "../queries.ts";
import type { MatchingUsers } from "../table/selection.ts";
import { EditFormFields } from "./edit-form.tsx";
import { type EditForm, parseEdit } from "./field-edit.ts";
import { type MatchingChange, type MatchingProgress, MatchingRun } from "./matching-run.ts";
import { offerUndo } from "./undo-delete.ts";

const MAX_SHOWN = 100;

interface MatchingDialogProps {
  readonly matching: MatchingUsers;
  readonly fields: readonly string[];
  readonly onClose: () => void;
  /** Some or all users have changed. */
  readonly onDone: () => void;
}

/** Deletes all users that match a search, after a confirmation. */
export function DeleteMatching({ matching, onClose, onDone }: MatchingDialogProps) {
  const [run, setRun] = useState<MatchingRun>();
  const { count } = matching;
  const texts = bulk.deleting;
  if (run) {
    return (
      <RunDialog
        run={run}
        matching={matching}
        change={{ delete: true }}
        title={texts.running(count)}
        outcome={texts.outcome}
        onClose={onClose}
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
      onConfirm={() => setRun(new MatchingRun())}
    />
  );
}

/** Sets or removes one field of all users that match a search. */
export function EditMatching({ matching, fields, onClose, onDone }: MatchingDialogProps) {
  const [form, setForm] = useState<EditForm>({ field: "", action: "set", type: "text", text: "" });
  const [showErrors, setShowErrors] = useState(false);
  const [started, setStarted] = useState<{ run: MatchingRun; change: MatchingChange }>();
  const id = useId();
  const { count } = matching;
  const texts = bulk.editing;
  const read = parseEdit(form, count);
  if (started) {
    return (
      <RunDialog
        {...started}
        matching={matching}
        title={texts.running(count)}
        outcome={texts.outcome}
        onClose={onClose}
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
    setStarted({ run: new MatchingRun(), change: { patch: { [field]: value ?? null } } });
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

interface RunDialogProps {
  readonly run: MatchingRun;
  readonly matching: MatchingUsers;
  readonly change: MatchingChange;
  readonly title: string;
  readonly outcome: (done: number, total: number) => string;
  readonly onClose: () => void;
  readonly onDone: (progress: MatchingProgress) => void;
}

/** Progress and result of a run. A running one can only be stopped, not closed. */
function RunDialog({ run, matching, change, title, outcome, onClose, onDone }: RunDialogProps) {
  const progress = useSyncExternalStore(run.progress.subscribe, run.progress.get);
  const { phase, found, changed, failed, error, stopped } = progress;
  useConfirmBeforeUnload(phase !== "ended");
  useRunOnce(run, matching, change, (end) => {
    void reloadUsers();
    if (end.failed.length === 0 && end.error === undefined && !end.stopped) onDone(end);
  });
  const processed = changed.length + failed.length;
  if (phase !== "ended") {
    const total = phase === "finding" ? Math.max(matching.count, found) : found;
    const value = phase === "finding" ? found : processed;
    const text = bulk.progress.value(value, total);
    return (
      <Modal
        open
        dismissible={false}
        onClose={onClose}
        title={title}
        actions={<Button onClick={() => run.stop()}>{bulk.progress.stop}</Button>}
      >
        <Progress
          label={title}
          value={value}
          max={total}
          text={phase === "finding" ? bulk.progress.finding(text) : text}
        />
      </Modal>
    );
  }
  return (
    <Modal
      open
      dismissible={false}
      onClose={onClose}
      title={outcome(changed.length, found)}
      actions={
        <Button kind="primary" onClick={() => (changed.length > 0 ? onDone(progress) : onClose())}>
          {bulk.outcomes.close}
        </Button>
      }
    >
      {stopped && <p className="lead">{bulk.outcomes.stopped(found - processed)}</p>}
      {error !== undefined && <Alert title={describeError(error).title}>{describeError(error).text}</Alert>}
      {failed.length > 0 && (
        <>
          <p className="lead">{bulk.outcomes.failed(failed.length)}</p>
          <ul className="bulk-failed" aria-label={bulk.outcomes.failedList}>
            {failed.slice(0, MAX_SHOWN).map(({ id, problem }) => (
              <li key={id}>
                <p className="bulk-failed-name">{bulk.outcomes.user(id)}</p>
                <p className="field-error">{problem?.errors?.[0]?.detail ?? problem?.detail}</p>
              </li>
            ))}
            {failed.length > MAX_SHOWN && <li className="hint">{bulk.more(failed.length - MAX_SHOWN)}</li>}
          </ul>
        </>
      )}
    </Modal>
  );
}

const startedRuns = new WeakSet<MatchingRun>();

/** Starts the run when its dialog opens, once: React may run effects twice. */
function useRunOnce(
  run: MatchingRun,
  { search }: MatchingUsers,
  change: MatchingChange,
  onEnd: (progress: MatchingProgress) => void,
): void {
  useEffect(() => {
    if (startedRuns.has(run)) return;
    startedRuns.add(run);
    void run.run(search, change).then(onEnd);
  }, [run, search, change, onEnd]);
}
