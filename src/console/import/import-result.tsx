import { CircleCheck, CircleStop, Download, Play } from "lucide-react";
import { useLocation } from "wouter";
import { saveFile, saveReport } from "../lib/save-file.ts";
import { formatNumber, shorten } from "../texts/format.ts";
import { importing as texts } from "../texts/index.ts";
import { Button } from "../ui/button.tsx";
import { Alert } from "../ui/states.tsx";
import { fieldLabel } from "../users/fields.ts";
import { reloadUsers } from "../users/queries.ts";
import { explainFault } from "./file-text.ts";
import type { ImportRun, ImportProgress } from "./import-run.ts";
import { RowTable } from "./row-table.tsx";
import type { FailedRow, Source } from "./source.ts";
import { StepTitle } from "./step-title.tsx";

const SHOWN = 100;

interface ImportResultProps {
  readonly run: ImportRun;
  readonly progress: ImportProgress;
  readonly onAnother: () => void;
}

/** What became of the file. */
export function ImportResult({ run, progress, onAnother }: ImportResultProps) {
  const [, navigate] = useLocation();
  const { phase, created, refused, row, error, doubt } = progress;
  const kind = phase === "done" || phase === "broken" ? phase : "stopped";
  const broken = phase === "broken" ? explainFault(error) : undefined;
  const see = () => {
    void reloadUsers();
    navigate("/");
  };
  return (
    <>
      <section className="card import-run">
        <div className="import-end">
          {kind === "done" ? <CircleCheck aria-hidden /> : <CircleStop aria-hidden />}
          <div>
            <StepTitle>{texts.outcome.title[kind]}</StepTitle>
            <p className="lead">{texts.outcome.text(created, refused)}</p>
          </div>
        </div>
        {broken && <Alert title={broken.title}>{broken.text}</Alert>}
        {doubt ? (
          <p className="failure">{texts.outcome.doubt(...doubt)}</p>
        ) : (
          kind !== "done" && <p className="hint">{texts.outcome.restFrom(row + 1)}</p>
        )}
        <div className="actions">
          {kind === "stopped" && (
            <Button kind="primary" icon={<Play aria-hidden />} onClick={() => run.resume()}>
              {texts.outcome.goOn}
            </Button>
          )}
          <Button kind={kind === "stopped" ? "plain" : "primary"} onClick={see}>
            {texts.outcome.see}
          </Button>
          <Button onClick={onAnother}>{texts.outcome.another}</Button>
        </div>
      </section>
      {refused > 0 && <FailedRows source={run.source} failed={run.failed} refused={refused} />}
    </>
  );
}

interface FailedRowsProps {
  readonly source: Source;
  readonly failed: readonly FailedRow[];
  readonly refused: number;
}

function FailedRows({ source, failed, refused }: FailedRowsProps) {
  const { format } = source;
  const shown = failed.slice(0, SHOWN);
  return (
    <section className="import-step">
      <div className="import-file">
        <div>
          <h2 className="import-title">{texts.outcome.refused}</h2>
          <p className="hint">
            {texts.outcome[format]} {failed.length < refused && texts.outcome.kept(failed.length, refused)}
          </p>
        </div>
        <div className="actions">
          {format === "ndjson" && (
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
        label={texts.outcome.refused}
        format={format}
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
              <span className="import-cell">{shorten(value ?? row.cells.join(" · "))}</span>
            </td>
          </tr>
        ))}
      </RowTable>
      {refused > shown.length && <p className="hint">{texts.outcome.first(shown.length, refused)}</p>}
    </section>
  );
}

function downloadFailed(source: Source, failed: readonly FailedRow[]): void {
  const { format } = source;
  saveFile(source.writeFailed(failed), format, `${baseOf(source)}-failed.${format}`);
}

async function downloadReasons(source: Source, failed: readonly FailedRow[]): Promise<void> {
  const { field, value, reason } = texts.outcome;
  const head = [texts.preview.row[source.format], field, value, reason];
  const rows = failed.map((each) => [each.row.number, each.field, each.value, each.reason]);
  await saveReport([head, ...rows], `${baseOf(source)}-reasons.csv`);
}

function baseOf({ name }: Source): string {
  return name.replace(/\.[^.]*$/, "");
}
