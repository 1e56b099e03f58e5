import { X } from "lucide-react";
import { useId } from "react";
import { user as texts, values } from "../../texts/index.ts";
import { Button } from "../../ui/button.tsx";
import { Select } from "../../ui/select.tsx";
import { valueTypes } from "../typed-input.ts";
import { valueControl } from "../typed-input-control.tsx";
import type { FieldRow, RowFault } from "./custom-fields-draft.ts";

const own = texts.own;

interface RowFieldsProps {
  readonly row: FieldRow;
  readonly fault: RowFault | undefined;
  /** The list of names to suggest. */
  readonly names: string;
  readonly mayWrite: boolean;
  readonly onChange: (part: Partial<FieldRow>) => void;
  readonly onRemove: () => void;
}

/** One of the caller's own fields: its name, its type, its value. */
export function RowFields({ row, fault, names, mayWrite, onChange, onRemove }: RowFieldsProps) {
  const told = useId();
  const about = (part: RowFault["part"]) =>
    fault?.part === part || fault?.part === "either"
      ? { "aria-invalid": true, "aria-describedby": told }
      : {};
  return (
    <li className="own-row" data-type={row.type}>
      <input
        className="input own-name"
        aria-label={own.name}
        placeholder={own.name}
        list={names}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        readOnly={!mayWrite}
        value={row.name}
        onChange={({ target }) => onChange({ name: target.value })}
        {...about("name")}
      />
      <Select
        className="input own-type"
        aria-label={own.type(row.name)}
        disabled={!mayWrite}
        value={row.type}
        options={valueTypes}
        getLabel={(type) => values.types[type]}
        onChoose={(type) => onChange({ type })}
      />
      {row.type === "empty" ? (
        <span className="own-value none">{own.empty}</span>
      ) : (
        valueControl(row, (text) => onChange({ text }), {
          className: "input own-value",
          "aria-label": own.value(row.name),
          readOnly: !mayWrite,
          // A field for one line would lose the others.
          lines: true,
          ...about("value"),
        })
      )}
      {mayWrite && (
        <Button
          kind="quiet"
          className="own-remove"
          icon={<X aria-hidden />}
          aria-label={own.remove(row.name)}
          title={own.remove(row.name)}
          onClick={onRemove}
        />
      )}
      {fault && (
        <p id={told} className="fault">
          {fault.text}
        </p>
      )}
    </li>
  );
}
