import { CircleCheck, CircleStop, Download, Play } from "lucide-react";
import Papa from "papaparse";
import { useLocation } from "wouter";
import { formatNumber } from "../app/format.ts";
import { saveFile } from "../app/save-file.ts";
import { importing as texts } from "../texts/index.ts";
import { Button } from "../ui/button.tsx";
import { labelOf } from "../users/columns.tsx";
import { reloadUsers } from "../users/list.ts";
import { describe } from "./file-step.tsx";
import type { ImportRun, Progress } from "./run.ts";
import { type FailedRow, type Source, shorten } from "./source.ts";
import { StepTitle } from "./step-title.tsx";

const SHOWN = 100;

interface OutcomeProps {
  readonly run: ImportRun;
  readonly progress: Progress;
  readonly onAnother: () => void;
}

/** What became of the file. */
export function Outcome({ run, progress, onAnother }: OutcomeProps) {
  const [, navigate] = useLocation();
  const { phase, created, refused, row, error, doubt } = progress;
  const kind = phase === "done" || phase === "broken" ? phase : "stopped";
  const broken = phase === "broken" ? describe(error) : undefined;
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
        {broken && (
          <div className="failure" role="alert">
            <strong>{broken.title}.</strong> {broken.text}
          </div>
        )}
        {doubt ? (
          <p className="failure">{texts.outcome.doubt(...doubt)}</p>
        ) : (
          kind !== "done" && <p className="hint">{texts.outcome.restFrom(row + 1)}</p>
        )}
        <div className="actions">
          {kind === "stopped" && (
            <Button kind="primary" icon={<Play aria-hidden />} onClick={() => run.goOn()}>
              {texts.outcome.goOn}
            </Button>
          )}
          <Button kind={kind === "stopped" ? "plain" : "primary"} onClick={see}>
            {texts.outcome.see}
          </Button>
          <Button onClick={onAnother}>{texts.outcome.another}</Button>
        </div>
      </section>
      {refused > 0 && <Refused source={run.source} failed={run.failed} refused={refused} />}
    </>
  );
}

interface RefusedProps {
  readonly source: Source;
  readonly failed: readonly FailedRow[];
  readonly refused: number;
}

function Refused({ source, failed, refused }: RefusedProps) {
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
            <Button icon={<Download aria-hidden />} onClick={() => downloadReasons(source, failed)}>
              {texts.outcome.reasons}
            </Button>
          )}
          <Button icon={<Download aria-hidden />} onClick={() => downloadFailed(source, failed)}>
            {texts.outcome.download}
          </Button>
        </div>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard */}
      <section className="import-table" aria-label={texts.outcome.refused} tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">{texts.preview.row[format]}</th>
              <th scope="col">{texts.outcome.reason}</th>
              <th scope="col">{texts.outcome.field}</th>
              <th scope="col">{texts.outcome.value}</th>
            </tr>
          </thead>
          <tbody>
            {shown.map(({ row, reason, field, value }) => (
              <tr key={row.number}>
                <th scope="row" className="figure">
                  {formatNumber(row.number)}
                </th>
                <td>{reason}</td>
                <td>{field === undefined ? "" : labelOf(field)}</td>
                <td>
                  <span className="import-cell">{shorten(value ?? row.cells.join(" · "))}</span>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {refused > shown.length && <p className="hint">{texts.outcome.first(shown.length, refused)}</p>}
    </section>
  );
}

const types = { csv: "text/csv;charset=utf-8", ndjson: "application/x-ndjson" };

function downloadFailed(source: Source, failed: readonly FailedRow[]): void {
  saveText(source.writeFailed(failed), types[source.format], `${baseOf(source)}-failed.${source.format}`);
}

function downloadReasons(source: Source, failed: readonly FailedRow[]): void {
  const head = [
    texts.preview.row[source.format],
    texts.outcome.field,
    texts.outcome.value,
    texts.outcome.reason,
  ];
  const rows = failed.map(({ row, field, value, reason }) => [row.number, field, value, reason]);
  // Values may be anything, and this table is only looked at: nothing in it may be run.
  const text = Papa.unparse([head, ...rows], { escapeFormulae: true });
  saveText(`\ufeff${text}\r\n`, types.csv, `${baseOf(source)}-reasons.csv`);
}

function baseOf({ name }: Source): string {
  return name.replace(/\.[^.]*$/, "");
}

function saveText(text: string, type: string, name: string): void {
  saveFile(new Blob([text], { type }), name);
}
