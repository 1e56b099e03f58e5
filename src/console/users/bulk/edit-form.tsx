import { useEffect, useId, useRef } from "react";
import type { User } from "../../../client/index.ts";
import { bulk, values } from "../../texts/index.ts";
import { Field } from "../../ui/field.tsx";
import { Select, Suggestions } from "../../ui/select.tsx";
import { isManaged } from "../fields.ts";
import { type ValueType, valueTypes } from "../typed-input.ts";
import { typedInputControl } from "../typed-input-control.tsx";
import { quoteValue } from "./edit-user.ts";
import { type EditForm, inferValueType, type parseEdit } from "./field-edit.ts";

const texts = bulk.editing;
const actions: readonly EditForm["action"][] = ["set", "remove"];

interface EditFormFieldsProps {
  readonly users: readonly User[];
  readonly fields: readonly string[];
  readonly form: EditForm;
  readonly onChange: (change: Partial<EditForm>) => void;
  /** What the form says, or what is wrong with it. */
  readonly read: ReturnType<typeof parseEdit>;
  /** Whether somebody thought it finished: until then nobody is told of faults. */
  readonly tried: boolean;
}

/** What to do with which field, and in words what will happen. */
export function EditFormFields({ users, fields, form, onChange, read, tried }: EditFormFieldsProps) {
  const { field, action, type } = form;
  const list = useId();
  const first = useRef<HTMLInputElement>(null);
  useEffect(() => first.current?.focus(), []);
  const errors = tried && "errors" in read ? read.errors : {};
  const known = fields.filter((each) => !isManaged(each));

  const retype = (next: ValueType) => ({ type: next, text: next === "flag" ? "true" : "" });
  const rename = (name: string) => {
    const isKnown = known.includes(name.trim());
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
        <Suggestions id={list} values={known} />
        <Field label={texts.action}>
          <Select
            value={action}
            options={actions}
            getLabel={(each) => texts[each]}
            onChoose={(each) => onChange({ action: each })}
          />
        </Field>
      </div>
      {action === "set" && (
        <div className="bulk-pair">
          <Field label={texts.type} error={type === "empty" ? errors.value : undefined}>
            <Select
              value={type}
              options={valueTypes}
              getLabel={(each) => values.types[each]}
              onChoose={(each) => onChange(retype(each))}
            />
          </Field>
          {type !== "empty" && (
            <Field label={texts.value} error={errors.value} className={type === "json" ? "long" : ""}>
              {typedInputControl(form, (text) => onChange({ text }))}
            </Field>
          )}
        </div>
      )}
      <p className="bulk-preview" aria-live="polite">
        {previewOf(read, users.length)}
      </p>
    </>
  );
}

function previewOf(read: EditFormFieldsProps["read"], count: number): string {
  if (!("edit" in read)) return "";
  const { field, value } = read.edit;
  if (value === undefined) return texts.preview.remove(field, count);
  return texts.preview.set(field, quoteValue(value), count);
}
