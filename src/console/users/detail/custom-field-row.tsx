import { useId } from "react";
import { user as texts, values } from "../../texts/index.ts";
import { Button } from "../../ui/button.tsx";
import { Braces, CircleSlash, Hash, type Icon, ToggleLeft, Trash2, Type } from "../../ui/icons.ts";
import { Menu, MenuChoice, MenuItem, MenuSeparator } from "../../ui/menu.tsx";
import { type ValueType, valueTypes } from "../typed-input.ts";
import { typedInputControl } from "../typed-input-control.tsx";
import type { FieldRow, FieldRowError } from "./custom-fields-draft.ts";

const fieldTexts = texts.customFields;
const typeIcons: Record<ValueType, Icon> = {
  text: Type,
  number: Hash,
  boolean: ToggleLeft,
  null: CircleSlash,
  json: Braces,
};

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
          multiline: true,
          ...about("value"),
        })
      )}
      {canWrite && <FieldMenu row={row} onType={(type) => onChange({ type })} onRemove={onRemove} />}
      {error && (
        <p id={errorId} className="field-error">
          {error.text}
        </p>
      )}
    </li>
  );
}

interface FieldMenuProps {
  readonly row: FieldRow;
  readonly onType: (type: ValueType) => void;
  readonly onRemove: () => void;
}

/** Changes the type of a custom field, or removes the field. */
function FieldMenu({ row: { name, type }, onType, onRemove }: FieldMenuProps) {
  const Icon = typeIcons[type];
  const label = fieldTexts.options(name, values.types[type]);
  return (
    <Menu
      trigger={
        <Button
          kind="quiet"
          className="custom-field-menu"
          icon={<Icon aria-hidden />}
          aria-label={label}
          title={label}
        />
      }
    >
      <MenuChoice
        closes
        label={fieldTexts.type}
        value={type}
        options={valueTypes}
        getLabel={(option) => values.types[option]}
        onChoose={onType}
      />
      <MenuSeparator />
      <MenuItem danger icon={<Trash2 aria-hidden />} onSelect={onRemove}>
        {fieldTexts.remove(name)}
      </MenuItem>
    </Menu>
  );
}
