import { formatNumber, truncate } from "../texts/format.ts";
import { importing as texts } from "../texts/import.ts";
import { formatValue } from "../users/fields.ts";
import { useColumnLabel } from "./column-label.ts";
import type { ImportKind } from "./import-kinds.ts";
import { listTargetFields, type Target } from "./mapping.ts";
import { RowTable } from "./row-table.tsx";
import type { Row, Source } from "./source.ts";

interface PreviewProps {
  readonly kind: ImportKind;
  readonly source: Source;
  readonly targets: readonly Target[];
}

/** The first rows as they will be sent, with the cells that can't be read. */
export function Preview({ kind: rowKind, source, targets }: PreviewProps) {
  const labelOf = useColumnLabel(rowKind);
  const fields = listTargetFields(targets);
  const { firstRows, rowCount, kind } = source;
  return (
    <section className="import-step">
      <h2 className="import-title">{texts.preview.title}</h2>
      <RowTable
        label={texts.preview.table}
        columns={[texts.preview.row[kind], ...fields.map((field) => heading(field, labelOf(field), targets))]}
      >
        {firstRows.map((row) => (
          <PreviewRow key={row.number} row={row} source={source} targets={targets} fields={fields} />
        ))}
      </RowTable>
      <p className="hint">
        {rowCount > firstRows.length && `${texts.preview.shown(firstRows.length)} `}
        {rowKind === "memberships" ? texts.preview.references : kind === "csv" && texts.preview.byType}
      </p>
    </section>
  );
}

/** The label of a field, with the type of its column. */
function heading(field: string, label: string, targets: readonly Target[]): string {
  const target = targets.find((each) => each.to === "custom" && each.field === field);
  const type = target?.to === "custom" ? target.type : undefined;
  return type ? texts.preview.typed(label, texts.columns.types[type]) : label;
}

interface PreviewRowProps extends Omit<PreviewProps, "kind"> {
  readonly row: Row;
  readonly fields: readonly string[];
}

function PreviewRow({ row, source, targets, fields }: PreviewRowProps) {
  const errors = new Map(source.findErrors(row, targets).map(({ field, reason }) => [field, reason]));
  const error = errors.get(undefined);
  const record = source.toRecord(row, targets);
  return (
    <tr className={errors.size > 0 ? "has-errors" : ""}>
      <th scope="row" className="figure">
        {formatNumber(row.number)}
      </th>
      {error !== undefined ? (
        <td colSpan={Math.max(1, fields.length)} className="bad">
          <span className="import-cell" dir="auto">
            {truncate(row.cells.join(" · "))}
          </span>
          <span className="field-error">{error}</span>
        </td>
      ) : (
        fields.map((field) => (
          <td key={field} className={errors.has(field) ? "bad" : ""}>
            <span className="import-cell" dir="auto">
              {truncate(formatValue(record?.get(field)))}
            </span>
            {errors.has(field) && <span className="field-error">{errors.get(field)}</span>}
          </td>
        ))
      )}
    </tr>
  );
}
