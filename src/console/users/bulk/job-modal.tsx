import type { ReactNode } from "react";
import { bulk } from "../../texts/index.ts";
import { Button } from "../../ui/button.tsx";
import { Modal } from "../../ui/modal.tsx";
import { JobProgress } from "./job-progress.tsx";
import { type DescribeFailure, JobResult, retryLabel } from "./job-result.tsx";
import type { Job } from "./use-bulk-job.ts";

interface JobModalProps {
  readonly job: Job;
  readonly texts: {
    readonly running: (count: number) => string;
    readonly outcome: (done: number, total: number) => string;
  };
  readonly describeFailure: DescribeFailure;
  /** Runs the job again for the users that failed or were not started. */
  readonly onAgain: () => void;
  readonly onClose: () => void;
  /** Content of the dialog before the job starts. */
  readonly before?: { readonly title: string; readonly body: ReactNode; readonly actions: ReactNode };
}

/** One dialog for the form, the progress and the result. A running job can only be stopped, not closed. */
export function JobModal({ job, texts, describeFailure, onAgain, onClose, before }: JobModalProps) {
  const { progress } = job;
  if (!progress) {
    return before ? (
      <Modal open onClose={onClose} title={before.title} actions={before.actions}>
        {before.body}
      </Modal>
    ) : null;
  }
  const { phase, total, done } = progress;
  if (phase !== "ended") {
    const label = texts.running(total);
    return (
      <Modal
        open
        dismissible={false}
        onClose={onClose}
        title={label}
        actions={
          <Button busy={phase === "stopping"} onClick={job.stop}>
            {bulk.progress.stop}
          </Button>
        }
      >
        <JobProgress label={label} progress={progress} onResume={job.resume} />
      </Modal>
    );
  }
  return (
    <Modal
      open
      dismissible={false}
      onClose={onClose}
      title={texts.outcome(done, total)}
      actions={
        <>
          <Button onClick={onClose}>{bulk.outcomes.close}</Button>
          <Button kind="primary" onClick={onAgain}>
            {retryLabel(progress)}
          </Button>
        </>
      }
    >
      <JobResult progress={progress} describeFailure={describeFailure} />
    </Modal>
  );
}
