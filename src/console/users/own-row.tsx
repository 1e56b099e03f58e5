import { X } from "lucide-react";
import { useId } from "react";
import { user as texts } from "../texts/index.ts";
import { Button } from "../ui/button.tsx";
import { type Row, type RowFault, rowTypes } from "./own-values.ts";

const own = texts.own;

interface RowFieldsProps {
  readonly row: Row;
  readonly fault: RowFault | undefined;
  /** The list of names to suggest. */
  readonly names: string;
  readonly mayWrite: boolean;
  readonly onChange: (part: Partial<Row>) => void;
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
      <select
        className="input own-type"
        aria-label={own.type(row.name)}
        disabled={!mayWrite}
        value={row.type}
        onChange={({ target }) => {
          const type = rowTypes.find((each) => each === target.value);
          if (type) onChange({ type });
        }}
      >
        {rowTypes.map((type) => (
          <option key={type} value={type}>
            {own.types[type]}
          </option>
        ))}
      </select>
      <ValueField row={row} mayWrite={mayWrite} onChange={onChange} about={about("value")} />
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

interface ValueFieldProps extends Pick<RowFieldsProps, "row" | "mayWrite" | "onChange"> {
  readonly about: { readonly "aria-invalid"?: boolean; readonly "aria-describedby"?: string };
}

function ValueField({ row, mayWrite, onChange, about }: ValueFieldProps) {
  const { name, type, text } = row;
  const common = { className: "input own-value", "aria-label": own.value(name), ...about };
  if (type === "empty") return <span className="own-value none">{own.empty}</span>;
  if (type === "flag") {
    return (
      <select
        {...common}
        disabled={!mayWrite}
        value={text === "true" ? "true" : "false"}
        onChange={({ target }) => onChange({ text: target.value })}
      >
        <option value="true">{own.yes}</option>
        <option value="false">{own.no}</option>
      </select>
    );
  }
  if (type === "number") {
    return (
      <input
        {...common}
        inputMode="decimal"
        autoComplete="off"
        readOnly={!mayWrite}
        value={text}
        onChange={({ target }) => onChange({ text: target.value })}
      />
    );
  }
  // A text can have lines, and a field for one line would lose them.
  return (
    <textarea
      {...common}
      rows={Math.min(10, text.split("\n").length)}
      spellCheck={false}
      readOnly={!mayWrite}
      value={text}
      onChange={({ target }) => onChange({ text: target.value })}
    />
  );
}
