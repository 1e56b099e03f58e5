import { X } from "lucide-react";
import { useId } from "react";
import { user as texts, values } from "../../texts/index.ts";
import { Button } from "../../ui/button.tsx";
import { Select } from "../../ui/select.tsx";
import { valueTypes } from "../typed-input.ts";
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

/** Name, type and value of a custom field. */
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
      <Select
        className="input custom-field-type"
        aria-label={fieldTexts.type(row.name)}
        disabled={!canWrite}
        value={row.type}
        options={valueTypes}
        getLabel={(type) => values.types[type]}
        onChoose={(type) => onChange({ type })}
      />
      {row.type === "null" ? (
        <span className="custom-field-value none">{fieldTexts.empty}</span>
      ) : (
        typedInputControl(row, (text) => onChange({ text }), {
          className: "input custom-field-value",
          "aria-label": fieldTexts.value(row.name),
          readOnly: !canWrite,
          // A single-line input would drop line breaks.
          multiline: true,
          ...about("value"),
        })
      )}
      {canWrite && (
        <Button
          kind="quiet"
          className="custom-field-remove"
          icon={<X aria-hidden />}
          aria-label={fieldTexts.remove(row.name)}
          title={fieldTexts.remove(row.name)}
          onClick={onRemove}
        />
      )}
      {error && (
        <p id={errorId} className="field-error">
          {error.text}
        </p>
      )}
    </li>
  );
}
