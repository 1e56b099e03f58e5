import { CircleAlert, CircleCheck } from "lucide-react";
import { useState } from "react";
import { formatNumber, shorten } from "../texts/format.ts";
import { importing as texts } from "../texts/index.ts";
import { fieldLabel, showValue } from "../users/fields.ts";
import { type CheckedRow, isFaulty } from "./check-row.ts";
import { listTargetFields, type Target } from "./mapping.ts";
import { RowTable } from "./row-table.tsx";
import type { Source } from "./source.ts";

const SHOWN = 20;

interface PreviewProps {
  readonly source: Source;
  readonly targets: readonly Target[];
  readonly rows: readonly CheckedRow[];
}

/** The first rows as they will be created, with what is wrong at the cell. */
export function Preview({ source, targets, rows }: PreviewProps) {
  const [onlyFaulty, setOnlyFaulty] = useState(false);
  const fields = listTargetFields(targets);
  const faulty = rows.filter(isFaulty);
  const chosen = onlyFaulty && faulty.length > 0 ? faulty : rows;
  const shown = chosen.slice(0, SHOWN);
  const said =
    faulty.length === 0
      ? texts.preview.fine(rows.length, source.isWhole)
      : texts.preview.faulty(faulty.length, rows.length, source.isWhole);
  return (
    <section className="import-step">
      <div className="import-preview-head">
        <h2 className="import-title">{texts.preview.title}</h2>
        <p className={faulty.length === 0 ? "import-verdict" : "import-verdict bad"} role="status">
          {faulty.length === 0 ? <CircleCheck aria-hidden /> : <CircleAlert aria-hidden />}
          {said}
        </p>
        {faulty.length > 0 && (
          <label className="check-line">
            <input
              type="checkbox"
              checked={onlyFaulty}
              onChange={({ target }) => setOnlyFaulty(target.checked)}
            />
            {texts.preview.onlyFaulty}
          </label>
        )}
      </div>
      <RowTable label={texts.preview.table} format={source.format} columns={fields.map(fieldLabel)}>
        {shown.map((row) => (
          <PreviewRow key={row.row.number} row={row} fields={fields} />
        ))}
      </RowTable>
      <p className="hint">
        {chosen.length > SHOWN && `${texts.preview.shown(SHOWN)} `}
        {source.format === "csv" && texts.preview.asText}
      </p>
    </section>
  );
}

function PreviewRow({ row, fields }: { readonly row: CheckedRow; readonly fields: readonly string[] }) {
  const { record, faults, fault } = row;
  return (
    <tr className={isFaulty(row) ? "faulty" : ""}>
      <th scope="row" className="figure">
        {formatNumber(row.row.number)}
      </th>
      {fault !== undefined ? (
        <td colSpan={Math.max(1, fields.length)} className="bad">
          <span className="import-cell">{shorten(row.row.cells.join(" · "))}</span>
          <span className="fault">{fault}</span>
        </td>
      ) : (
        fields.map((field) => (
          <td key={field} className={faults.has(field) ? "bad" : ""}>
            <span className="import-cell">{shorten(showValue(record?.get(field)))}</span>
            {faults.has(field) && <span className="fault">{faults.get(field)}</span>}
          </td>
        ))
      )}
    </tr>
  );
}
