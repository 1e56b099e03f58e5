import { user, values } from "../texts/index.ts";
import { Button } from "../ui/button.tsx";
import { Braces, CircleSlash, Hash, type Icon, ToggleLeft, Trash2, Type } from "../ui/icons.ts";
import { Menu, MenuChoice, MenuItem, MenuSeparator } from "../ui/menu.tsx";
import { type ValueType, valueTypes } from "../users/typed-input.ts";

const texts = user.customFields;
const icons: Record<ValueType, Icon> = {
  text: Type,
  number: Hash,
  boolean: ToggleLeft,
  null: CircleSlash,
  json: Braces,
};

interface TypeMenuProps {
  readonly name: string;
  readonly type: ValueType;
  readonly onType: (type: ValueType) => void;
  /** Absent if the field is required. */
  readonly onRemove?: (() => void) | undefined;
}

/** Changes the type of a custom field, or removes the field. */
export function TypeMenu({ name, type, onType, onRemove }: TypeMenuProps) {
  const Icon = icons[type];
  const label = texts.options(name, values.types[type]);
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
        label={texts.type}
        value={type}
        options={valueTypes}
        getLabel={(option) => values.types[option]}
        onChoose={onType}
      />
      {onRemove && (
        <>
          <MenuSeparator />
          <MenuItem danger icon={<Trash2 aria-hidden />} onSelect={onRemove}>
            {texts.remove(name)}
          </MenuItem>
        </>
      )}
    </Menu>
  );
}
