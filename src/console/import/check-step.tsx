import { useObservable } from "../lib/observable.ts";
import { formatNumber, formatPercent } from "../texts/format.ts";
import { importing as texts } from "../texts/import.ts";
import { Button } from "../ui/button.tsx";
import { CircleAlert, CircleCheck, RotateCw, Upload } from "../ui/icons.ts";
import { Progress } from "../ui/progress.tsx";
import { Alert } from "../ui/states.tsx";
import { FailedRows } from "./failed-rows.tsx";
import { Figure, Outcomes } from "./figure.tsx";
import { describeImportError } from "./file-text.ts";
import { type CheckResult, type ImportCheck, TRIAL_ABOVE_ROWS } from "./import-check.ts";
import { changeColumns, startCheck, startImport } from "./import-flow.ts";
import { StepTitle } from "./step-title.tsx";

/** The check of all rows, then what the import would do. */
export function CheckStep({ check }: { readonly check: ImportCheck }) {
  const { phase, share, error, result } = useObservable(check.progress);
  if (result) return <Result check={check} result={result} />;
  const { source } = check.plan;
  const failure = phase === "failed" ? describeImportError(error) : undefined;
  return (
    <section className="card import-run">
      <div className="import-file">
        <div>
          <StepTitle>{failure ? texts.check.failed : texts.check.title(source.rowCount)}</StepTitle>
          <p className="hint">{source.name}</p>
        </div>
        <div className="actions">
          {failure && (
            <Button kind="primary" icon={<RotateCw aria-hidden />} onClick={() => startCheck(check.plan)}>
              {texts.check.again}
            </Button>
          )}
          <Button onClick={() => changeColumns(check)}>{texts.check.back}</Button>
        </div>
      </div>
      <Progress
        label={texts.check.bar}
        value={Math.floor(share * 100)}
        max={100}
        text={formatPercent(share)}
        bad={failure !== undefined}
      />
      {failure ? (
        <Alert title={failure.title}>
          {failure.text} {source.rowCount > TRIAL_ABOVE_ROWS && texts.check.large}
        </Alert>
      ) : (
        <p className="hint">{texts.check.lead}</p>
      )}
    </section>
  );
}

/** Rows that a sentence names. */
const NAMED_ROWS = 5;

function Result({ check, result }: { readonly check: ImportCheck; readonly result: CheckResult }) {
  const { plan } = check;
  const { source, action } = plan;
  const { created, existing, repeated, failures, importable, rows } = result;
  const isTrial = rows < source.rowCount;
  return (
    <>
      <section className="card import-run">
        <div className="import-end" data-warning={failures.count > 0 || undefined}>
          {failures.count === 0 ? <CircleCheck aria-hidden /> : <CircleAlert aria-hidden />}
          <div>
            <StepTitle>
              {isTrial
                ? texts.check.trial(failures.count, rows)
                : texts.check.result(importable, source.rowCount)}
            </StepTitle>
            <p className="hint">{source.name}</p>
          </div>
        </div>
        <dl className="import-figures">
          <Outcomes texts={texts.check} action={action} created={created} existing={existing} />
          <Figure
            label={texts.check.rejected}
            value={formatNumber(failures.count)}
            bad={failures.count > 0}
          />
        </dl>
        {repeated.length > 0 && (
          <p className="warning">
            {texts.check.repeated(repeated.length, repeated.slice(0, NAMED_ROWS), plan)}
          </p>
        )}
        <p className="hint">
          {isTrial ? texts.check.trialText : importable === 0 ? texts.check.nothing : texts.check.unchanged}
        </p>
        <div className="actions">
          {!isTrial && importable > 0 && (
            <Button kind="primary" icon={<Upload aria-hidden />} onClick={() => startImport(check)}>
              {texts.check.start(importable, source.rowCount)}
            </Button>
          )}
          <Button onClick={() => changeColumns(check)}>{texts.check.back}</Button>
          {isTrial && (
            <Button onClick={() => startCheck(check.plan, { withTrial: false })}>
              {texts.check.all(source.rowCount)}
            </Button>
          )}
        </div>
      </section>
      {failures.count > 0 && <FailedRows title={texts.check.failedRows} plan={plan} failures={failures} />}
    </>
  );
}
