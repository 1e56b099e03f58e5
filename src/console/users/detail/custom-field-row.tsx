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
  /** The list of names to suggest. */
  readonly names: string;
  readonly canWrite: boolean;
  readonly onChange: (part: Partial<FieldRow>) => void;
  readonly onRemove: () => void;
}

/** One of the caller's own fields: its name, its type, its value. */
export function CustomFieldRow({ row, error, names, canWrite, onChange, onRemove }: CustomFieldRowProps) {
  const waitForToast = useId();
  const about = (part: FieldRowError["part"]) =>
    error?.part === part || error?.part === "either"
      ? { "aria-invalid": true, "aria-describedby": waitForToast }
      : {};
  return (
    <li className="own-row" data-type={row.type}>
      <input
        className="input own-name"
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
        className="input own-type"
        aria-label={fieldTexts.type(row.name)}
        disabled={!canWrite}
        value={row.type}
        options={valueTypes}
        getLabel={(type) => values.types[type]}
        onChoose={(type) => onChange({ type })}
      />
      {row.type === "empty" ? (
        <span className="own-value none">{fieldTexts.empty}</span>
      ) : (
        typedInputControl(row, (text) => onChange({ text }), {
          className: "input own-value",
          "aria-label": fieldTexts.value(row.name),
          readOnly: !canWrite,
          // A field for one line would lose the others.
          lines: true,
          ...about("value"),
        })
      )}
      {canWrite && (
        <Button
          kind="quiet"
          className="own-remove"
          icon={<X aria-hidden />}
          aria-label={fieldTexts.remove(row.name)}
          title={fieldTexts.remove(row.name)}
          onClick={onRemove}
        />
      )}
      {error && (
        <p id={waitForToast} className="fault">
          {error.text}
        </p>
      )}
    </li>
  );
}
