import { type FormEvent, useEffect, useId, useRef, useState } from "react";
import type { User } from "../../../client/index.ts";
import { isCustomField, isManagedField } from "../../../contract/users/user-fields.ts";
import { ValueField } from "../../fields/value-field.tsx";
import { bulk } from "../../texts/index.ts";
import { Button } from "../../ui/button.tsx";
import { Field, focusFirstError } from "../../ui/field.tsx";
import { Plus, X } from "../../ui/icons.ts";
import { Select, Suggestions } from "../../ui/select.tsx";
import { specOf, useFields } from "../field-info.ts";
import { presentValues } from "../fields.ts";
import { quoteValue } from "./edit-user.ts";
import {
  type ChangeErrors,
  type FieldChange,
  type FieldEdits,
  newChange,
  type ParsedEdits,
  parseEdits,
} from "./field-edit.ts";

const texts = bulk.editing;
const actions: readonly FieldChange["action"][] = ["set", "remove"];

interface EditFormProps {
  /** The form's id, for the button outside of the form. */
  readonly id: string;
  /** Selected users that are loaded. Their values show the type of a field. */
  readonly users: readonly User[];
  /** The number of users to change. */
  readonly count: number;
  readonly fields: readonly string[];
  /** Why the change cannot be undone. Undefined if it can. */
  readonly noUndo: string | undefined;
  readonly onSubmit: (edits: FieldEdits) => void;
}

/** Fields with their new values, and a description of the change. */
export function EditForm({ id, users, count, fields, noUndo, onSubmit }: EditFormProps) {
  const form = useRef<HTMLFormElement>(null);
  const names = useId();
  const [changes, setChanges] = useState<readonly FieldChange[]>(() => [newChange()]);
  const [submits, setSubmits] = useState(0);
  const parsed = parseEdits(changes, count);
  const known = fields.filter((name) => !isManagedField(name));
  // User names are unique, and programs keep the other field.
  const offered = known.filter((name) => name !== "userName" && name !== "scim");
  const last = changes.at(-1)?.key;
  useEffect(() => {
    if (last === undefined) return;
    form.current?.querySelector<HTMLElement>("fieldset:last-of-type input")?.focus();
  }, [last]);
  useEffect(() => {
    if (submits > 0) focusFirstError(form.current);
  }, [submits]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (parsed.edits) onSubmit(parsed.edits);
    else setSubmits(submits + 1);
  };
  return (
    <form id={id} ref={form} className="form" onSubmit={submit} autoComplete="off" noValidate>
      <p className="lead">{texts.lead}</p>
      {noUndo !== undefined && <p className="warning">{noUndo}</p>}
      {changes.map((change) => (
        <ChangeFields
          key={change.key}
          change={change}
          users={users}
          known={known}
          names={names}
          errors={submits > 0 ? parsed.errors?.get(change.key) : undefined}
          onChange={(part) =>
            setChanges(changes.map((other) => (other.key === change.key ? { ...other, ...part } : other)))
          }
          onRemove={
            changes.length > 1 ? () => setChanges(changes.filter(({ key }) => key !== change.key)) : undefined
          }
        />
      ))}
      <Suggestions id={names} values={offered} />
      <Button
        className="bulk-add"
        icon={<Plus aria-hidden />}
        onClick={() => setChanges([...changes, newChange()])}
      >
        {texts.add}
      </Button>
      <p className="bulk-preview" aria-live="polite">
        {describeEdits(parsed, count)}
      </p>
    </form>
  );
}

interface ChangeFieldsProps {
  readonly change: FieldChange;
  readonly users: readonly User[];
  readonly known: readonly string[];
  /** Id of the list of suggested names. */
  readonly names: string;
  readonly errors: ChangeErrors | undefined;
  readonly onChange: (part: Partial<FieldChange>) => void;
  /** Absent for the only change. */
  readonly onRemove: (() => void) | undefined;
}

function ChangeFields({ change, users, known, names, errors, onChange, onRemove }: ChangeFieldsProps) {
  const { field, action, input } = change;
  const name = field.trim();
  const infos = useFields();
  const specFor = (name: string) =>
    specOf(
      name,
      infos?.find((info) => info.name === name),
      presentValues(users, name),
    );
  const spec = specFor(name);
  const isFree = isCustomField(name) && !infos?.find((info) => info.name === name)?.spec;
  const rename = (next: string) => {
    const { control } = specFor(next.trim());
    const isOther = control !== spec.control || control === "select";
    // A switch shows a value from the beginning.
    const first = control === "switch" ? ({ type: "boolean", text: "true" } as const) : undefined;
    onChange({ field: next, ...(isOther && { input: first }) });
  };
  return (
    <fieldset className="bulk-change">
      <legend className="hidden">{name === "" ? texts.field : name}</legend>
      <div className="bulk-pair">
        <Field label={texts.field} error={errors?.field}>
          <input
            list={names}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            value={field}
            onChange={({ target }) => rename(target.value)}
          />
        </Field>
        <Field label={texts.action}>
          <Select
            value={action}
            options={actions}
            getLabel={(choice) => texts[choice]}
            onChoose={(choice) => onChange({ action: choice })}
          />
        </Field>
        {onRemove && (
          <Button
            kind="quiet"
            className="bulk-remove"
            icon={<X aria-hidden />}
            aria-label={texts.drop(name)}
            title={texts.drop(name)}
            onClick={onRemove}
          />
        )}
      </div>
      {action === "set" && (
        <ValueField
          // The value of a required field can be changed, but not removed: that is another action.
          spec={{ ...spec, required: true }}
          label={texts.value}
          canRetype={isFree}
          input={input}
          error={errors?.value}
          onChange={(next) => onChange({ input: next })}
          {...(!known.includes(name) && { hint: texts.newField })}
        />
      )}
    </fieldset>
  );
}

function describeEdits({ edits }: ParsedEdits, count: number): string {
  if (!edits) return "";
  const parts = [...edits].map(([field, value]) =>
    value === undefined ? texts.preview.remove(field) : texts.preview.set(field, quoteValue(value)),
  );
  return texts.preview.all(parts, count);
}
