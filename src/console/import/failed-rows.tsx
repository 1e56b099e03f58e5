import { saveCsvReport, saveFile } from "../lib/save-file.ts";
import { formatNumber } from "../texts/format.ts";
import { importing as texts } from "../texts/import.ts";
import { Button } from "../ui/button.tsx";
import { Download } from "../ui/icons.ts";
import { useColumnLabel } from "./column-label.ts";
import type { ErrorKind, Failures } from "./failures.ts";
import type { ImportKind } from "./import-kinds.ts";
import type { ImportPlan } from "./import-plan.ts";
import { RowTable } from "./row-table.tsx";
import type { FailedRow, Source, SourceKind } from "./source.ts";

interface FailedRowsProps {
  readonly title: string;
  readonly plan: Pick<ImportPlan, "kind" | "source">;
  readonly failures: Failures;
}

/** The errors by kind, with the first rows of each, and downloads of the rows. */
export function FailedRows({ title, plan, failures }: FailedRowsProps) {
  const { source } = plan;
  const { kind } = source;
  const { rows, count, kinds } = failures;
  return (
    <section className="import-step">
      <div className="import-file">
        <div>
          <h2 className="import-title">{title}</h2>
          <p className="hint">
            {texts.failed[kind]} {rows.length < count && texts.failed.truncated(rows.length, count)}
          </p>
        </div>
        <div className="actions">
          {kind !== "csv" && (
            <Button icon={<Download aria-hidden />} onClick={() => void downloadReasons(source, rows)}>
              {texts.failed.reasons}
            </Button>
          )}
          <Button icon={<Download aria-hidden />} onClick={() => downloadFailed(source, rows)}>
            {texts.failed.download}
          </Button>
        </div>
      </div>
      <div className="card import-kinds">
        {kinds.map((each, index) => (
          <Kind
            key={`${each.field} ${each.text}`}
            kind={each}
            importKind={plan.kind}
            rowKind={kind}
            isOpen={index === 0}
          />
        ))}
      </div>
    </section>
  );
}

interface KindProps {
  readonly kind: ErrorKind;
  readonly importKind: ImportKind;
  readonly rowKind: SourceKind;
  readonly isOpen: boolean;
}

function Kind({ kind: { field, text, count, values }, importKind, rowKind, isOpen }: KindProps) {
  const labelOf = useColumnLabel(importKind);
  const shown = [...values].reduce((sum, [, value]) => sum + value.count, 0);
  return (
    <details className="import-kind" open={isOpen}>
      <summary>
        <span className="import-kind-text">
          {field !== undefined && <strong>{labelOf(field)} </strong>}
          {text}
        </span>
        <span className="import-kind-count">{texts.failed.count[rowKind](count)}</span>
      </summary>
      <RowTable
        label={text}
        columns={[texts.failed.value, texts.failed.firstRow[rowKind], texts.failed.rows[rowKind]]}
      >
        {[...values].map(([value, { row, count }]) => (
          <tr key={value}>
            <td>
              <span className="import-cell" dir="auto">
                {value === "" ? <span className="hint">{texts.failed.empty}</span> : value}
              </span>
            </td>
            <td className="figure">{formatNumber(row)}</td>
            <td className="figure">{formatNumber(count)}</td>
          </tr>
        ))}
      </RowTable>
      {count > shown && (
        <p className="hint">{texts.failed.others(texts.failed.count[rowKind](count - shown))}</p>
      )}
    </details>
  );
}

function downloadFailed(source: Source, failed: readonly FailedRow[]): void {
  const { format } = source;
  saveFile(source.writeFailed(failed), format, `${baseName(source)}-failed.${format}`);
}

async function downloadReasons(source: Source, failed: readonly FailedRow[]): Promise<void> {
  const { field, value, reason } = texts.failed;
  const head = [texts.preview.row[source.kind], field, value, reason];
  const rows = failed.flatMap(({ row, errors }) =>
    errors.map((error) => [row.number, error.field, error.value, error.reason]),
  );
  await saveCsvReport([head, ...rows], `${baseName(source)}-reasons.csv`);
}

function baseName({ name }: Source): string {
  return name.replace(/\.[^.]*$/, "");
}
