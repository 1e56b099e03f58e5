import { useLocation } from "wouter";
import { importing as texts } from "../texts/import.ts";
import { Button } from "../ui/button.tsx";
import { CircleCheck, CircleStop, Play } from "../ui/icons.ts";
import { Alert } from "../ui/states.tsx";
import { FailedRows } from "./failed-rows.tsx";
import { describeImportError } from "./file-text.ts";
import { kinds } from "./import-kinds.ts";
import { type ImportProgress, type ImportRun, outcomeOf as toOutcome } from "./import-run.ts";
import { StepTitle } from "./step-title.tsx";

interface ImportResultProps {
  readonly run: ImportRun;
  readonly progress: ImportProgress;
  readonly onAnother: () => void;
}

/** Shown after an import has finished or was stopped. */
export function ImportResult({ run, progress, onAnother }: ImportResultProps) {
  const [, navigate] = useLocation();
  const { phase, row, error, unconfirmedRows } = progress;
  const { plan, failures } = run;
  const kind = toOutcome(phase);
  const broken = phase === "broken" ? describeImportError(error) : undefined;
  const { reload, path } = kinds[plan.kind];
  // Users who were updated can be anywhere in the list.
  const hasUpdated = plan.kind === "users" && plan.action === "update" && progress.existing > 0;
  const see = () => {
    void reload();
    navigate(hasUpdated ? `${path}?sort=-updatedAt` : path);
  };
  return (
    <>
      <section className="card import-run">
        <div className="import-end" data-warning={kind !== "done" || undefined}>
          {kind === "done" ? <CircleCheck aria-hidden /> : <CircleStop aria-hidden />}
          <div>
            <StepTitle>{texts.outcome.title[kind]}</StepTitle>
            <p className="lead">{texts.outcome.text(progress, failures.count, plan)}</p>
          </div>
        </div>
        {broken && <Alert title={broken.title}>{broken.text}</Alert>}
        {unconfirmedRows ? (
          <p className="failure">{texts.outcome.unconfirmed(...unconfirmedRows)}</p>
        ) : (
          kind !== "done" && <p className="hint">{texts.outcome.notImported(row + 1)}</p>
        )}
        <div className="actions">
          {kind === "stopped" && (
            <Button kind="primary" icon={<Play aria-hidden />} onClick={() => run.resume()}>
              {texts.outcome.resume}
            </Button>
          )}
          <Button kind={kind === "stopped" ? "plain" : "primary"} onClick={see}>
            {hasUpdated ? texts.outcome.seeChanged : texts.of[plan.kind].see}
          </Button>
          <Button onClick={onAnother}>{texts.outcome.another}</Button>
        </div>
      </section>
      {failures.count > 0 && <FailedRows title={texts.outcome.failed} plan={plan} failures={failures} />}
    </>
  );
}
