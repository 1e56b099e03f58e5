import { Progress as Bar } from "@base-ui/react/progress";
import type { User } from "../../client/index.ts";
import { explain, isRefusal } from "../api.ts";
import { changeKey, endSession } from "../app/session.ts";
import { bulk, failures } from "../texts/index.ts";
import { Button } from "../ui/button.tsx";
import type { Progress } from "./bulk-run.ts";

const texts = bulk.progress;

interface BulkProgressProps {
  readonly label: string;
  readonly progress: Progress<User>;
  readonly onResume: () => void;
}

/** How far it is, and what it waits for, if it does. */
export function BulkProgress({ label, progress, onResume }: BulkProgressProps) {
  const { phase, total, done, failed, obstacle } = progress;
  const ready = done + failed.length;
  return (
    <>
      <Bar.Root
        className="bulk-bar"
        value={ready}
        max={Math.max(total, 1)}
        aria-valuetext={texts.value(ready, total)}
      >
        <Bar.Label className="hidden">{label}</Bar.Label>
        <p className="bulk-count">{texts.value(ready, total)}</p>
        <Bar.Track className="bar-track">
          <Bar.Indicator className="bar-fill" />
        </Bar.Track>
      </Bar.Root>
      {failed.length > 0 && <p className="fault">{texts.failed(failed.length)}</p>}
      {phase === "stopping" && <p className="hint">{texts.stopping}</p>}
      {phase === "paused" && <Pause obstacle={obstacle} onResume={onResume} />}
    </>
  );
}

/** Why nothing goes on, and what to do about it. */
function Pause({ obstacle, onResume }: { readonly obstacle: unknown; readonly onResume: () => void }) {
  if (isRefusal(obstacle, "unauthenticated", "key-revoked", "key-expired")) {
    return (
      <div className="bulk-pause" role="alert">
        <p>{texts.ended}</p>
        <Button kind="primary" onClick={endSession}>
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
