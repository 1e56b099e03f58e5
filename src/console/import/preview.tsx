import { type ReactNode, useState } from "react";
import { formatNumber, truncate } from "../texts/format.ts";
import { importing as texts } from "../texts/index.ts";
import { CircleAlert, CircleCheck } from "../ui/icons.ts";
import { fieldLabel, formatValue } from "../users/fields.ts";
import { type CheckedRow, hasErrors } from "./check-row.ts";
import { listTargetFields, type Target } from "./mapping.ts";
import { RowTable } from "./row-table.tsx";
import type { Source } from "./source.ts";

const MAX_SHOWN = 20;

interface PreviewProps {
  readonly source: Source;
  readonly targets: readonly Target[];
  readonly rows: readonly CheckedRow[];
  /** What the import would do. */
  readonly children: ReactNode;
}

/** The first rows as they will be created, with errors at their cells. */
export function Preview({ source, targets, rows, children }: PreviewProps) {
  const [onlyErrors, setOnlyErrors] = useState(false);
  const fields = listTargetFields(targets);
  const withErrors = rows.filter(hasErrors);
  const chosen = onlyErrors && withErrors.length > 0 ? withErrors : rows;
  const shown = chosen.slice(0, MAX_SHOWN);
  const summary =
    withErrors.length === 0
      ? texts.preview.noErrors(rows.length, source.isComplete)
      : texts.preview.errors(withErrors.length, rows.length, source.isComplete);
  return (
    <section className="import-step">
      <div className="import-preview-head">
        <h2 className="import-title">{texts.preview.title}</h2>
        <p className={withErrors.length === 0 ? "import-summary" : "import-summary bad"} role="status">
          {withErrors.length === 0 ? <CircleCheck aria-hidden /> : <CircleAlert aria-hidden />}
          {summary}
        </p>
        {withErrors.length > 0 && (
          <label className="check-line">
            <input
              type="checkbox"
              checked={onlyErrors}
              onChange={({ target }) => setOnlyErrors(target.checked)}
            />
            {texts.preview.onlyErrors}
          </label>
        )}
      </div>
      {children}
      <RowTable
        label={texts.preview.table}
        kind={source.kind}
        columns={fields.map((field) => heading(field, targets))}
      >
        {shown.map((row) => (
          <PreviewRow key={row.row.number} row={row} fields={fields} />
        ))}
      </RowTable>
      <p className="hint">
        {chosen.length > MAX_SHOWN && `${texts.preview.shown(MAX_SHOWN)} `}
        {source.kind === "csv" && texts.preview.byType}
      </p>
    </section>
  );
}

/** The label of a field, with the type of its column. */
function heading(field: string, targets: readonly Target[]): string {
  const target = targets.find((each) => each.to === "custom" && each.field === field);
  const type = target?.to === "custom" ? target.type : undefined;
  return type ? texts.preview.typed(fieldLabel(field), texts.columns.types[type]) : fieldLabel(field);
}

function PreviewRow({ row, fields }: { readonly row: CheckedRow; readonly fields: readonly string[] }) {
  const { record, errors, error } = row;
  return (
    <tr className={hasErrors(row) ? "has-errors" : ""}>
      <th scope="row" className="figure">
        {formatNumber(row.row.number)}
      </th>
      {error !== undefined ? (
        <td colSpan={Math.max(1, fields.length)} className="bad">
          <span className="import-cell">{truncate(row.row.cells.join(" · "))}</span>
          <span className="field-error">{error}</span>
        </td>
      ) : (
        fields.map((field) => (
          <td key={field} className={errors.has(field) ? "bad" : ""}>
            <span className="import-cell">{truncate(formatValue(record?.get(field)))}</span>
            {errors.has(field) && <span className="field-error">{errors.get(field)}</span>}
          </td>
        ))
      )}
    </tr>
  );
}
