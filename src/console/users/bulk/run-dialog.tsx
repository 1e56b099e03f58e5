import { useEffect } from "react";
import { describeError } from "../../lib/api.ts";
import { focusWhileScrollable } from "../../lib/focus-while-scrollable.ts";
import { useObservable } from "../../lib/observable.ts";
import { useConfirmBeforeUnload } from "../../lib/unsaved-changes.ts";
import { bulk } from "../../texts/index.ts";
import { Button } from "../../ui/button.tsx";
import { Modal } from "../../ui/modal.tsx";
import { Progress } from "../../ui/progress.tsx";
import { Alert } from "../../ui/states.tsx";
import type { ManyProgress, ManyRun } from "./many-run.ts";

const MAX_SHOWN = 100;

interface RunDialogProps {
  readonly run: ManyRun;
  /** How many users the run is expected to change. */
  readonly count: number;
  readonly title: string;
  readonly outcome: (done: number, total: number) => string;
  readonly onClose: () => void;
  /** After the last request. */
  readonly onEnd: (progress: ManyProgress) => void;
  /** All users are changed, or the person has read which of them are not. */
  readonly onDone: (progress: ManyProgress) => void;
}

/** Progress and result of a run. A running one can only be stopped, not closed. */
export function RunDialog({ run, count, title, outcome, onClose, onEnd, onDone }: RunDialogProps) {
  const progress = useObservable(run.progress);
  const { phase, found, changed, failed, error, stopped } = progress;
  useRunOnce(run, (end) => {
    onEnd(end);
    if (end.failed.length === 0 && end.error === undefined && !end.stopped) onDone(end);
  });
  const processed = changed.length + failed.length;
  if (phase !== "ended") return <RunProgress run={run} count={count} title={title} />;
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
          <ul className="bulk-failed" aria-label={bulk.outcomes.failedList} ref={focusWhileScrollable}>
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

/** Progress of a run that has started. */
export function RunProgress({ run, count, title }: Pick<RunDialogProps, "run" | "count" | "title">) {
  const { phase, found, changed, failed } = useObservable(run.progress);
  useConfirmBeforeUnload(true);
  const total = phase === "finding" ? Math.max(count, found) : found;
  const value = phase === "finding" ? found : changed.length + failed.length;
  const text = bulk.progress.value(value, total);
  return (
    <Modal
      open
      dismissible={false}
      onClose={() => undefined}
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

const startedRuns = new WeakSet<ManyRun>();

/** Starts the run when its dialog opens, once: React may run effects twice. */
function useRunOnce(run: ManyRun, onEnd: (progress: ManyProgress) => void): void {
  useEffect(() => {
    if (startedRuns.has(run)) return;
    startedRuns.add(run);
    void run.run().then(onEnd);
  }, [run, onEnd]);
}
