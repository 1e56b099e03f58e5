import { useEffect, useId, useRef } from "react";
import type { User } from "../../../client/index.ts";
import { isManagedField } from "../../../contract/users/user-fields.ts";
import { bulk, values } from "../../texts/index.ts";
import { Field } from "../../ui/field.tsx";
import { Select, Suggestions } from "../../ui/select.tsx";
import { type ValueType, valueTypes } from "../typed-input.ts";
import { typedInputControl } from "../typed-input-control.tsx";
import { quoteValue } from "./edit-user.ts";
import { type EditForm, inferValueType, type parseEdit } from "./field-edit.ts";

const texts = bulk.editing;
const actions: readonly EditForm["action"][] = ["set", "remove"];

interface EditFormFieldsProps {
  /** Selected users that are loaded. Their values show the type of a field. */
  readonly users: readonly User[];
  /** The number of users to change. */
  readonly count: number;
  readonly fields: readonly string[];
  readonly form: EditForm;
  readonly onChange: (change: Partial<EditForm>) => void;
  /** The parsed form. */
  readonly read: ReturnType<typeof parseEdit>;
  /** Errors are hidden until the first submit. */
  readonly showErrors: boolean;
}

/** Inputs for the field and its new value, with a description of the change. */
export function EditFormFields({
  users,
  count,
  fields,
  form,
  onChange,
  read,
  showErrors,
}: EditFormFieldsProps) {
  const { field, action, type } = form;
  const list = useId();
  const first = useRef<HTMLInputElement>(null);
  useEffect(() => first.current?.focus(), []);
  const errors = showErrors && "errors" in read ? read.errors : {};
  const knownFields = fields.filter((name) => !isManagedField(name));

  const retype = (next: ValueType) => ({ type: next, text: next === "boolean" ? "true" : "" });
  const rename = (name: string) => {
    const isKnown = knownFields.includes(name.trim());
    const next = isKnown ? inferValueType(users, name.trim()) : type;
    onChange({ field: name, ...(next !== type && retype(next)) });
  };
  return (
    <>
      <p className="lead">{texts.lead}</p>
      <div className="bulk-pair">
        <Field label={texts.field} error={errors.field}>
          <input
            ref={first}
            list={list}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            value={field}
            onChange={(event) => rename(event.target.value)}
          />
        </Field>
        <Suggestions id={list} values={knownFields} />
        <Field label={texts.action}>
          <Select
            value={action}
            options={actions}
            getLabel={(choice) => texts[choice]}
            onChoose={(choice) => onChange({ action: choice })}
          />
        </Field>
      </div>
      {action === "set" && (
        <div className="bulk-pair">
          <Field label={texts.type} error={type === "null" ? errors.value : undefined}>
            <Select
              value={type}
              options={valueTypes}
              getLabel={(choice) => values.types[choice]}
              onChoose={(choice) => onChange(retype(choice))}
            />
          </Field>
          {type !== "null" && (
            <Field label={texts.value} error={errors.value} className={type === "json" ? "long" : ""}>
              {typedInputControl(form, (text) => onChange({ text }))}
            </Field>
          )}
        </div>
      )}
      <p className="bulk-preview" aria-live="polite">
        {describeEdit(read, count)}
      </p>
    </>
  );
}

function describeEdit(read: EditFormFieldsProps["read"], count: number): string {
  if (!("edit" in read)) return "";
  const { field, value } = read.edit;
  if (value === undefined) return texts.preview.remove(field, count);
  return texts.preview.set(field, quoteValue(value), count);
}
