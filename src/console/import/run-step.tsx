import { useObservable } from "../lib/observable.ts";
import { formatDuration, formatNumber } from "../texts/format.ts";
import { importing as texts } from "../texts/import.ts";
import { Button } from "../ui/button.tsx";
import { Pause, Play, Square } from "../ui/icons.ts";
import { Progress } from "../ui/progress.tsx";
import { Alert } from "../ui/states.tsx";
import { Figure, Outcomes } from "./figure.tsx";
import { describeImportError } from "./file-text.ts";
import { ImportResult } from "./import-result.tsx";
import { type ImportRun, isFinished, isRunning, type ImportProgress as RunProgress } from "./import-run.ts";
import { StepTitle } from "./step-title.tsx";

/** A running import, then its result. */
export function RunStep({ run, onAnother }: { readonly run: ImportRun; readonly onAnother: () => void }) {
  const progress = useObservable(run.progress);
  return isFinished(progress.phase) ? (
    <ImportResult run={run} progress={progress} onAnother={onAnother} />
  ) : (
    <RunningImport run={run} progress={progress} />
  );
}

function RunningImport({ run, progress }: { readonly run: ImportRun; readonly progress: RunProgress }) {
  const { phase, bytes, created, existing, ms, error } = progress;
  const { source, action } = run.plan;
  const { size, name } = source;
  const failedCount = run.failures.count;
  const share = Math.floor((100 * bytes) / size);
  const running = isRunning(progress);
  const timeLeft = bytes > 0 && running ? formatDuration(((size - bytes) * ms) / bytes) : texts.run.unknown;
  const rows = created + existing + failedCount;
  const rate = ms > 0 && rows > 0 ? formatNumber(Math.round((rows * 1000) / ms)) : undefined;
  const failure = phase === "failed" ? describeImportError(error) : undefined;
  return (
    <section className="import-step">
      <div className="card import-run">
        <div className="import-file">
          <div>
            <StepTitle>{title(phase)}</StepTitle>
            <p className="hint">{name}</p>
          </div>
          <div className="actions">
            {running ? (
              <Button icon={<Pause aria-hidden />} disabled={phase !== "running"} onClick={() => run.pause()}>
                {texts.run.pause}
              </Button>
            ) : (
              <Button kind="primary" icon={<Play aria-hidden />} onClick={() => run.resume()}>
                {texts.run.resume}
              </Button>
            )}
            <Button icon={<Square aria-hidden />} disabled={phase === "stopping"} onClick={() => run.stop()}>
              {texts.run.stop}
            </Button>
          </div>
        </div>
        <Progress label={texts.run.bar} value={share} max={100} bad={phase === "failed"} />
        <dl className="import-figures">
          <Outcomes texts={texts.run} action={action} created={created} existing={existing} />
          <Figure label={texts.run.failed} value={formatNumber(failedCount)} bad={failedCount > 0} />
          <Figure label={texts.run.rate} value={rate ?? texts.run.unknown} />
          <Figure label={texts.run.left} value={timeLeft} />
        </dl>
        {failure && (
          <Alert title={failure.title}>
            {failure.text} {texts.run.safe}
          </Alert>
        )}
        <p className="hint" role="status">
          {phase === "running" && texts.run.stay}
          {(phase === "pausing" || phase === "stopping") && texts.run.ending}
          {phase === "paused" && texts.run.paused}
        </p>
      </div>
    </section>
  );
}

function title(phase: RunProgress["phase"]): string {
  const titles: Partial<Record<RunProgress["phase"], string>> = texts.run.title;
  return titles[phase] ?? "";
}
