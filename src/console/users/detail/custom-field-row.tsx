import { useId } from "react";
import { TypeMenu } from "../../fields/type-menu.tsx";
import { user as texts } from "../../texts/index.ts";
import { typedInputControl } from "../typed-input-control.tsx";
import type { FieldRow, FieldRowError } from "./custom-fields-draft.ts";

const fieldTexts = texts.customFields;

interface CustomFieldRowProps {
  readonly row: FieldRow;
  readonly error: FieldRowError | undefined;
  /** Id of the list of suggested names. */
  readonly names: string;
  readonly canWrite: boolean;
  readonly onChange: (part: Partial<FieldRow>) => void;
  readonly onRemove: () => void;
}

/** Name and value of a custom field, and a menu for its type. */
export function CustomFieldRow({ row, error, names, canWrite, onChange, onRemove }: CustomFieldRowProps) {
  const errorId = useId();
  const about = (part: FieldRowError["part"]) =>
    error?.part === part || error?.part === "either"
      ? { "aria-invalid": true, "aria-describedby": errorId }
      : {};
  return (
    <li className="custom-field" data-type={row.type}>
      <input
        className="input custom-field-name"
        aria-label={fieldTexts.name}
        placeholder={fieldTexts.name}
        list={names}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        readOnly={!canWrite}
        value={row.name}
        onChange={({ target }) => onChange({ name: target.value })}
        {...about("name")}
      />
      {row.type === "null" ? (
        <span className="custom-field-value none">{fieldTexts.empty}</span>
      ) : (
        typedInputControl(row, (text) => onChange({ text }), {
          className: "input custom-field-value",
          "aria-label": fieldTexts.value(row.name),
          placeholder: fieldTexts.noText,
          readOnly: !canWrite,
          // A single-line input would drop line breaks.
          multiline: "rarely",
          ...about("value"),
        })
      )}
      {canWrite && (
        <TypeMenu name={row.name} type={row.type} onType={(type) => onChange({ type })} onRemove={onRemove} />
      )}
      {error && (
        <p id={errorId} className="field-error">
          {error.text}
        </p>
      )}
    </li>
  );
}
