import { type FormEvent, type ReactNode, useEffect, useRef } from "react";
import { Field, focusFirstError } from "../../ui/field.tsx";
import { Alert } from "../../ui/states.tsx";
import { CustomFields } from "./custom-fields.tsx";
import { ScimField } from "./scim-field.tsx";
import type { OpenForm } from "./use-open-user.ts";

interface RecordFormProps {
  readonly open: OpenForm;
  /** The level of headings. */
  readonly level: 2 | 3;
  /** The fields between the name and the custom fields. */
  readonly children?: ReactNode;
}

/** The form of a user or a group. */
export function RecordForm({ open, level, children }: RecordFormProps) {
  const { form: id, editor, canWrite } = open;
  const { kind, base, draft, errors, type } = editor;
  const { texts } = kind;
  const form = useRef<HTMLFormElement>(null);
  const first = useRef<HTMLInputElement>(null);
  const isNew = base === undefined;

  useEffect(() => {
    if (isNew) first.current?.focus();
  }, [isNew]);
  useEffect(() => {
    if (errors.saveCount > 0) focusFirstError(form.current);
  }, [errors.saveCount]);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (canWrite && !editor.busy) editor.save();
  };
  return (
    <form id={id} ref={form} className={isNew ? "form" : "form in-place"} noValidate onSubmit={submit}>
      {!canWrite && <p className="notice">{texts.readOnly}</p>}
      {errors.general !== undefined && <Alert>{errors.general}</Alert>}
      <Field label={texts.name} error={errors.fields.get("name")}>
        <input
          ref={first}
          dir="auto"
          autoComplete="off"
          readOnly={!canWrite}
          value={draft.name}
          onChange={({ target }) => type({ name: target.value }, ["name"])}
        />
      </Field>
      {children}
      <CustomFields editor={editor} canWrite={canWrite} level={level} />
      <ScimField editor={editor} />
    </form>
  );
}
