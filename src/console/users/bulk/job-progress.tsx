import type { User } from "../../../client/index.ts";
import { describeError, isSignedOut } from "../../lib/api.ts";
import { promptAfterSessionEnd, promptForAnotherKey } from "../../lib/sign-in-prompt.ts";
import { bulk, failures } from "../../texts/index.ts";
import { Button } from "../../ui/button.tsx";
import { Progress } from "../../ui/progress.tsx";
import type { BulkProgress as RunProgress } from "./bulk-run.ts";

const texts = bulk.progress;

interface JobProgressProps {
  readonly label: string;
  readonly progress: RunProgress<User>;
  readonly onResume: () => void;
}

/** Progress of a job, and the reason if it is paused. */
export function JobProgress({ label, progress, onResume }: JobProgressProps) {
  const { phase, total, done, failed, pausedBy } = progress;
  const processed = done + failed.length;
  return (
    <>
      <Progress label={label} value={processed} max={total} text={texts.value(processed, total)} />
      {failed.length > 0 && <p className="field-error">{texts.failed(failed.length)}</p>}
      {phase === "stopping" && <p className="hint">{texts.stopping}</p>}
      {phase === "paused" && <Pause pausedBy={pausedBy} onResume={onResume} />}
    </>
  );
}

/** Why the job is paused, and how to continue. */
function Pause({ pausedBy, onResume }: { readonly pausedBy: unknown; readonly onResume: () => void }) {
  if (isSignedOut(pausedBy)) {
    return (
      <div className="bulk-pause" role="alert">
        <p>{texts.ended}</p>
        <Button kind="primary" onClick={promptAfterSessionEnd}>
          {texts.signIn}
        </Button>
      </div>
    );
  }
  const { title, text, scope } = describeError(pausedBy);
  return (
    <div className="bulk-pause" role="alert">
      <p>
        <strong>{title}.</strong> {text}
      </p>
      {scope === undefined ? (
        <Button kind="primary" onClick={onResume}>
          {texts.resume}
        </Button>
      ) : (
        <Button kind="primary" onClick={promptForAnotherKey}>
          {failures.otherKey}
        </Button>
      )}
    </div>
  );
}
