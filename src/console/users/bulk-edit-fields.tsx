import { useEffect, useId, useRef } from "react";
import type { User } from "../../client/index.ts";
import { managedFields } from "../../contract/user.ts";
import { bulk } from "../texts/index.ts";
import { Field } from "../ui/field.tsx";
import { quoteValue } from "./edit-users.ts";
import { type EditForm, type readEdit, typeOfField, valueTypes } from "./field-edit.ts";

const texts = bulk.editing;

interface EditFieldsProps {
  readonly users: readonly User[];
  readonly fields: readonly string[];
  readonly form: EditForm;
  readonly onChange: (change: Partial<EditForm>) => void;
  /** What the form says, or what is wrong with it. */
  readonly read: ReturnType<typeof readEdit>;
  /** Whether somebody thought it finished: until then nobody is told of faults. */
  readonly tried: boolean;
}

/** What to do with which field, and in words what will happen. */
export function EditFields({ users, fields, form, onChange, read, tried }: EditFieldsProps) {
  const { field, action, type } = form;
  const list = useId();
  const first = useRef<HTMLInputElement>(null);
  useEffect(() => first.current?.focus(), []);
  const faults = tried && "faults" in read ? read.faults : {};
  const known = fields.filter((each) => !serviceFields.has(each));

  const nameField = (name: string) => {
    const isKnown = known.includes(name.trim());
    const next = isKnown ? typeOfField(users, name.trim()) : type;
    onChange({ field: name, ...(next !== type && { type: next, value: startOf(next) }) });
  };
  return (
    <>
      <p className="lead">{texts.lead}</p>
      <div className="bulk-pair">
        <Field label={texts.field} fault={faults.field}>
          <input
            ref={first}
            list={list}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            value={field}
            onChange={(event) => nameField(event.target.value)}
          />
        </Field>
        <datalist id={list}>
          {known.map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
        <Field label={texts.action}>
          <select
            value={action}
            onChange={({ target }) => onChange({ action: target.value === "remove" ? "remove" : "set" })}
          >
            <option value="set">{texts.set}</option>
            <option value="remove">{texts.remove}</option>
          </select>
        </Field>
      </div>
      {action === "set" && (
        <div className="bulk-pair">
          <Field label={texts.type}>
            <select
              value={type}
              onChange={({ target }) => {
                const next = valueTypes.find((each) => each === target.value) ?? "text";
                onChange({ type: next, value: startOf(next) });
              }}
            >
              {valueTypes.map((each) => (
                <option key={each} value={each}>
                  {texts.types[each]}
                </option>
              ))}
            </select>
          </Field>
          <Field label={texts.value} fault={faults.value} className={type === "json" ? "long" : ""}>
            {valueControl(form, (value) => onChange({ value }))}
          </Field>
        </div>
      )}
      <p className="bulk-preview" aria-live="polite">
        {previewOf(read, users.length)}
      </p>
    </>
  );
}

/** Nobody can write them. */
const serviceFields = new Set<string>(managedFields);
const startOf = (type: EditForm["type"]) => (type === "boolean" ? "yes" : "");

function valueControl({ type, value }: EditForm, change: (value: string) => void) {
  if (type === "boolean") {
    return (
      <select value={value} onChange={({ target }) => change(target.value)}>
        <option value="yes">{texts.yes}</option>
        <option value="no">{texts.no}</option>
      </select>
    );
  }
  if (type === "json") {
    return (
      <textarea rows={4} spellCheck={false} value={value} onChange={({ target }) => change(target.value)} />
    );
  }
  const numeric = type === "number" ? ({ inputMode: "decimal" } as const) : {};
  return (
    <input {...numeric} autoComplete="off" value={value} onChange={({ target }) => change(target.value)} />
  );
}

function previewOf(read: EditFieldsProps["read"], count: number): string {
  if (!("edit" in read)) return "";
  const { field, value } = read.edit;
  if (value === undefined) return texts.preview.remove(field, count);
  return texts.preview.set(field, quoteValue(value), count);
}
