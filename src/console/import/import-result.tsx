import { useLocation } from "wouter";
import { saveCsvReport, saveFile } from "../lib/save-file.ts";
import { formatNumber, truncate } from "../texts/format.ts";
import { importing as texts } from "../texts/index.ts";
import { Button } from "../ui/button.tsx";
import { CircleCheck, CircleStop, Download, Play } from "../ui/icons.ts";
import { Alert } from "../ui/states.tsx";
import { fieldLabel } from "../users/fields.ts";
import { reloadUsers } from "../users/queries.ts";
import { describeImportError } from "./file-text.ts";
import { type ImportProgress, type ImportRun, outcomeOf as toOutcome } from "./import-run.ts";
import { RowTable } from "./row-table.tsx";
import type { FailedRow, Source } from "./source.ts";
import { StepTitle } from "./step-title.tsx";

const MAX_SHOWN = 100;

interface ImportResultProps {
  readonly run: ImportRun;
  readonly progress: ImportProgress;
  readonly onAnother: () => void;
}

/** Shown after an import has finished or was stopped. */
export function ImportResult({ run, progress, onAnother }: ImportResultProps) {
  const [, navigate] = useLocation();
  const { phase, failedCount, row, error, unconfirmedRows } = progress;
  const kind = toOutcome(phase);
  const broken = phase === "broken" ? describeImportError(error) : undefined;
  const see = () => {
    void reloadUsers();
    navigate("/users");
  };
  return (
    <>
      <section className="card import-run">
        <div className="import-end">
          {kind === "done" ? <CircleCheck aria-hidden /> : <CircleStop aria-hidden />}
          <div>
            <StepTitle>{texts.outcome.title[kind]}</StepTitle>
            <p className="lead">{texts.outcome.text(progress, run.onConflict)}</p>
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
            {texts.outcome.see}
          </Button>
          <Button onClick={onAnother}>{texts.outcome.another}</Button>
        </div>
      </section>
      {failedCount > 0 && <FailedRows source={run.source} failed={run.failed} failedCount={failedCount} />}
    </>
  );
}

interface FailedRowsProps {
  readonly source: Source;
  readonly failed: readonly FailedRow[];
  readonly failedCount: number;
}

function FailedRows({ source, failed, failedCount }: FailedRowsProps) {
  const { kind } = source;
  const shown = failed.slice(0, MAX_SHOWN);
  return (
    <section className="import-step">
      <div className="import-file">
        <div>
          <h2 className="import-title">{texts.outcome.failed}</h2>
          <p className="hint">
            {texts.outcome[kind]}{" "}
            {failed.length < failedCount && texts.outcome.truncated(failed.length, failedCount)}
          </p>
        </div>
        <div className="actions">
          {kind !== "csv" && (
            <Button icon={<Download aria-hidden />} onClick={() => void downloadReasons(source, failed)}>
              {texts.outcome.reasons}
            </Button>
          )}
          <Button icon={<Download aria-hidden />} onClick={() => downloadFailed(source, failed)}>
            {texts.outcome.download}
          </Button>
        </div>
      </div>
      <RowTable
        label={texts.outcome.failed}
        kind={kind}
        columns={[texts.outcome.reason, texts.outcome.field, texts.outcome.value]}
      >
        {shown.map(({ row, reason, field, value }) => (
          <tr key={row.number}>
            <th scope="row" className="figure">
              {formatNumber(row.number)}
            </th>
            <td>{reason}</td>
            <td>{field === undefined ? "" : fieldLabel(field)}</td>
            <td>
              <span className="import-cell">{truncate(value ?? row.cells.join(" · "))}</span>
            </td>
          </tr>
        ))}
      </RowTable>
      {failedCount > shown.length && <p className="hint">{texts.outcome.first(shown.length, failedCount)}</p>}
    </section>
  );
}

function downloadFailed(source: Source, failed: readonly FailedRow[]): void {
  const { format } = source;
  saveFile(source.writeFailed(failed), format, `${baseName(source)}-failed.${format}`);
}

async function downloadReasons(source: Source, failed: readonly FailedRow[]): Promise<void> {
  const { field, value, reason } = texts.outcome;
  const head = [texts.preview.row[source.kind], field, value, reason];
  const rows = failed.map((failedRow) => [
    failedRow.row.number,
    failedRow.field,
    failedRow.value,
    failedRow.reason,
  ]);
  await saveCsvReport([head, ...rows], `${baseName(source)}-reasons.csv`);
}

function baseName({ name }: Source): string {
  return name.replace(/\.[^.]*$/, "");
}
