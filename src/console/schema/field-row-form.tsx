import { useId } from "react";
import { schema } from "../texts/schema.ts";
import { Button } from "../ui/button.tsx";
import { Field } from "../ui/field.tsx";
import { Trash2 } from "../ui/icons.ts";
import { Select } from "../ui/select.tsx";
import { canBeUnique, type FieldRow, fieldTypes, hasAllowedValues, keptKeywords } from "./field-row.ts";

const texts = schema.fields;

interface FieldRowFormProps {
  readonly row: FieldRow;
  readonly error: string | undefined;
  readonly canManage: boolean;
  readonly onChange: (part: Partial<FieldRow>) => void;
  readonly onRemove: () => void;
}

/** One custom field of the schema. */
export function FieldRowForm({ row, error, canManage, onChange, onRemove }: FieldRowFormProps) {
  const { name, type, required, unique, allowed, description } = row;
  const uniqueHint = useId();
  const kept = keptKeywords(row);
  const types = fieldTypes.filter((each) => each !== "other" || type === "other");
  return (
    <li className="schema-field" aria-label={texts.group(name)}>
      <Field label={texts.name} error={error} className="schema-name">
        <input
          autoCapitalize="none"
          spellCheck={false}
          autoComplete="off"
          readOnly={!canManage}
          value={name}
          onChange={({ target }) => onChange({ name: target.value })}
        />
      </Field>
      <Field label={texts.type} className="schema-type">
        <Select
          value={type}
          options={types}
          disabled={!canManage || type === "other"}
          getLabel={(each) => texts.types[each]}
          onChoose={(next) => onChange({ type: next, ...(!canBeUnique(next) && { unique: false }) })}
        />
      </Field>
      <div className="schema-checks">
        <label className="check-line">
          <input
            type="checkbox"
            checked={required}
            disabled={!canManage}
            onChange={() => onChange({ required: !required })}
          />
          {texts.required}
        </label>
        <label className="check-line" title={texts.uniqueHint}>
          <input
            type="checkbox"
            aria-describedby={uniqueHint}
            checked={unique}
            disabled={!canManage || !canBeUnique(type) || type === "other"}
            onChange={() => onChange({ unique: !unique })}
          />
          {texts.unique}
        </label>
        <span id={uniqueHint} className="hidden">
          {texts.uniqueHint}
        </span>
      </div>
      {canManage && (
        <Button
          kind="quiet"
          className="delete schema-remove"
          icon={<Trash2 aria-hidden />}
          aria-label={texts.remove(name)}
          title={texts.remove(name)}
          onClick={onRemove}
        />
      )}
      {type !== "other" && (
        <Field label={texts.description} className="schema-description">
          <input
            autoComplete="off"
            readOnly={!canManage}
            value={description}
            onChange={({ target }) => onChange({ description: target.value })}
          />
        </Field>
      )}
      {hasAllowedValues(type) && !kept.includes("enum") && (
        <Field label={texts.allowed} className="schema-allowed">
          <textarea
            rows={1}
            placeholder={texts.allowedHint}
            spellCheck={false}
            readOnly={!canManage}
            value={allowed}
            onChange={({ target }) => onChange({ allowed: target.value })}
          />
        </Field>
      )}
      {kept.length > 0 && <p className="hint schema-kept">{texts.also(kept.join(", "))}</p>}
    </li>
  );
}
