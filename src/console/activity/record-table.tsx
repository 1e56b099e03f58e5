import { activity } from "../texts/activity.ts";
import { truncate } from "../texts/format.ts";

const texts = activity.details;
const MAX_CHARACTERS = 2000;

interface RecordTableProps {
  readonly record: object;
  readonly caption: string;
  readonly labelOf: (field: string) => string;
}

/** The fields of a record with their values. */
export function RecordTable({ record, caption, labelOf }: RecordTableProps) {
  return (
    <table className="values">
      <caption className="hint">{caption}</caption>
      <tbody>
        {Object.entries(record).map(([field, value]) => (
          <tr key={field}>
            <th scope="row">{labelOf(field)}</th>
            <td>
              <FieldValue value={value} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export function FieldValue({ value }: { readonly value: unknown }) {
  if (value === undefined) return <span className="none">{texts.notSet}</span>;
  if (typeof value === "string" && value !== "") return truncate(value, MAX_CHARACTERS);
  return <code>{truncate(JSON.stringify(value), MAX_CHARACTERS)}</code>;
}
