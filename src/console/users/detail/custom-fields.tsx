import { useEffect, useId, useRef } from "react";
import { ValueField } from "../../fields/value-field.tsx";
import { user as texts } from "../../texts/index.ts";
import { Button } from "../../ui/button.tsx";
import { Field } from "../../ui/field.tsx";
import { Plus } from "../../ui/icons.ts";
import { Suggestions } from "../../ui/select.tsx";
import { useFields } from "../field-info.ts";
import type { KnownFields } from "../record.ts";
import { CustomFieldRow } from "./custom-field-row.tsx";
import {
  convertForm,
  type FieldRow,
  type FieldRowError,
  findRow,
  initialInput,
  newRow,
  parseCustomFields,
  setField,
} from "./custom-fields-draft.ts";
import type { FormEditor } from "./use-user-editor.ts";

const fieldTexts = texts.customFields;

interface CustomFieldsProps {
  readonly editor: FormEditor;
  readonly canWrite: boolean;
}

/** Custom fields: one row each with its type, or all of them as JSON. `level` is the heading's level. */
export function CustomFields({ editor, canWrite, level }: CustomFieldsProps & { readonly level: 2 | 3 }) {
  const Heading = `h${level}` as const;
  const { kind, draft, type, check } = editor;
  const heading = useId();
  const group = useId();
  const change = () => {
    const other = convertForm(draft.customFields, kind.fields);
    if (other) type({ customFields: other });
    else check();
  };
  return (
    <section className="custom-fields" aria-labelledby={heading}>
      <div className="custom-fields-head">
        <Heading id={heading} className="section-title">
          {fieldTexts.title}
        </Heading>
        <fieldset className="segments">
          <legend className="hidden">{fieldTexts.form}</legend>
          {(["rows", "json"] as const).map((form) => (
            <label key={form}>
              <input type="radio" name={group} checked={draft.customFields.form === form} onChange={change} />
              {fieldTexts[form]}
            </label>
          ))}
        </fieldset>
      </div>
      {draft.customFields.form === "rows" ? (
        <Rows rows={draft.customFields.rows} editor={editor} canWrite={canWrite} />
      ) : (
        <JsonField text={draft.customFields.text} editor={editor} canWrite={canWrite} />
      )}
    </section>
  );
}

interface RowsProps extends CustomFieldsProps {
  readonly rows: readonly FieldRow[];
}

/** The fields of the schema, with or without a value, and then all others. */
function Rows({ rows: all, editor, canWrite }: RowsProps) {
  const { kind, base, draft, errors, type, schemaFields } = editor;
  const { specs, allowsOthers } = schemaFields;
  const described = new Set(specs.map(({ name }) => name));
  const rows = all.filter(({ name, isAdded }) => isAdded || !described.has(name));
  const list = useRef<HTMLUListElement>(null);
  const add = useRef<HTMLButtonElement>(null);
  const names = useId();
  const added = useRef<number>(undefined);
  const parsed = parseCustomFields(draft.customFields, kind.fields);

  useEffect(() => {
    if (all.at(-1)?.key === added.current)
      list.current?.querySelector<HTMLElement>("li:last-child input")?.focus();
    added.current = undefined;
  }, [all]);

  const setRows = (next: readonly FieldRow[], edited: readonly string[]) =>
    type({ customFields: { form: "rows", rows: next } }, edited);
  const addRow = () => {
    const row = { ...newRow(), isAdded: true };
    added.current = row.key;
    setRows([...all, row], []);
  };
  const removeRow = (row: FieldRow) => {
    setRows(
      all.filter(({ key }) => key !== row.key),
      [row.name],
    );
    add.current?.focus();
  };
  const errorFor = (row: FieldRow): FieldRowError | undefined => {
    const local = errors.checked ? parsed.rowErrors.get(row.key) : undefined;
    const remote = errors.fields.get(row.name.trim());
    return local ?? (remote === undefined ? undefined : { part: "either", text: remote });
  };
  return (
    <>
      {specs.length > 0 && (
        <div className="described-fields">
          {specs.map((spec) => {
            const row = findRow(all, spec.name);
            return (
              <ValueField
                key={spec.name}
                spec={spec}
                input={row ?? (base ? undefined : initialInput(spec))}
                error={row ? errorFor(row)?.text : errors.fields.get(spec.name)}
                readOnly={!canWrite}
                isNew={!base}
                onChange={(input) => setRows(setField(all, spec.name, input), [spec.name])}
              />
            );
          })}
        </div>
      )}
      {all.length === 0 && specs.length === 0 && (
        <p className="hint">{canWrite ? kind.texts.customFields.hint : fieldTexts.none}</p>
      )}
      {rows.length > 0 && (
        <ul ref={list} className="custom-field-list">
          {rows.map((row) => (
            <CustomFieldRow
              key={row.key}
              row={row}
              error={errorFor(row)}
              names={names}
              canWrite={canWrite}
              onChange={(part) =>
                setRows(
                  all.map((other) => (other.key === row.key ? { ...other, ...part } : other)),
                  [row.name.trim()],
                )
              }
              onRemove={() => removeRow(row)}
            />
          ))}
        </ul>
      )}
      {kind.hasSchema && (
        <KnownNames id={names} fields={kind.fields} taken={[...described, ...rows.map(({ name }) => name)]} />
      )}
      {canWrite && allowsOthers && (
        <Button ref={add} className="custom-field-add" icon={<Plus aria-hidden />} onClick={addRow}>
          {fieldTexts.add}
        </Button>
      )}
    </>
  );
}

interface KnownNamesProps {
  readonly id: string;
  readonly fields: KnownFields;
  readonly taken: readonly string[];
}

/** Suggests the custom fields of the directory. */
function KnownNames({ id, fields, taken }: KnownNamesProps) {
  const names = useFields()?.map(({ name }) => name) ?? [];
  const suggestions = names.filter((field) => fields.isCustom(field) && !taken.includes(field));
  return <Suggestions id={id} values={suggestions} />;
}

interface JsonFieldProps extends CustomFieldsProps {
  readonly text: string;
}

function JsonField({ text, editor, canWrite }: JsonFieldProps) {
  const { kind, draft, errors, type } = editor;
  const { jsonError, fields, lines } = parseCustomFields(draft.customFields, kind.fields);
  const remoteErrors = [...errors.fields]
    .filter(([field]) => fields.has(field))
    .map(([field, error]) => texts.json.line(lines.get(field) ?? 1, field, error));
  const error = jsonError ?? (remoteErrors.length > 0 ? remoteErrors.join(" ") : undefined);
  return (
    <Field
      className="custom-field-json"
      label={fieldTexts.jsonLabel}
      {...(error === undefined && { hint: fieldTexts.valid })}
      error={error}
    >
      <textarea
        spellCheck={false}
        autoCapitalize="none"
        rows={Math.max(8, Math.min(24, text.split("\n").length + 1))}
        readOnly={!canWrite}
        value={text}
        onChange={({ target }) =>
          type({ customFields: { form: "json", text: target.value } }, [...fields.keys()])
        }
      />
    </Field>
  );
}
