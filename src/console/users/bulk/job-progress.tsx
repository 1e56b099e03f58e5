import type { User } from "../../../client/index.ts";
import { explain, isSignedOut } from "../../lib/api.ts";
import { changeKey, promptAfterSessionEnd } from "../../lib/sign-in-prompt.ts";
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

/** How far it is, and what it waits for, if it does. */
export function JobProgress({ label, progress, onResume }: JobProgressProps) {
  const { phase, total, done, failed, obstacle } = progress;
  const ready = done + failed.length;
  return (
    <>
      <Progress label={label} value={ready} max={total} text={texts.value(ready, total)} />
      {failed.length > 0 && <p className="fault">{texts.failed(failed.length)}</p>}
      {phase === "stopping" && <p className="hint">{texts.stopping}</p>}
      {phase === "paused" && <Pause obstacle={obstacle} onResume={onResume} />}
    </>
  );
}

/** Why nothing goes on, and what to do about it. */
function Pause({ obstacle, onResume }: { readonly obstacle: unknown; readonly onResume: () => void }) {
  if (isSignedOut(obstacle)) {
    return (
      <div className="bulk-pause" role="alert">
        <p>{texts.ended}</p>
        <Button kind="primary" onClick={promptAfterSessionEnd}>
          {texts.signIn}
        </Button>
      </div>
    );
  }
  const { title, text, scope } = explain(obstacle);
  return (
    <div className="bulk-pause" role="alert">
      <p>
        <strong>{title}.</strong> {text}
      </p>
      {scope === undefined ? (
        <Button kind="primary" onClick={onResume}>
          {texts.goOn}
        </Button>
      ) : (
        <Button kind="primary" onClick={changeKey}>
          {failures.otherKey}
        </Button>
      )}
    </div>
  );
}
