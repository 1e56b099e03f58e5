import { useEffect, useId, useMemo, useRef, useState } from "react";
import { ApiError } from "../../client/index.ts";
import { describeError, isProblem } from "../lib/api.ts";
import { schema as texts } from "../texts/schema.ts";
import { Button } from "../ui/button.tsx";
import { Field } from "../ui/field.tsx";
import { Plus } from "../ui/icons.ts";
import { Alert } from "../ui/states.tsx";
import { type FieldRow, newRow, type RowError } from "./field-row.ts";
import { FieldRowForm } from "./field-row-form.tsx";
import {
  convertDraft,
  type FieldsDraft,
  type ParsedDraft,
  parseDraft,
  type SchemaDraft,
} from "./schema-draft.ts";

type RowErrors = ReadonlyMap<number, readonly RowError[]>;

interface SchemaFormProps {
  readonly draft: SchemaDraft;
  /** The errors of the last check. */
  readonly checked: ParsedDraft | undefined;
  /** The error of the service. */
  readonly refused: unknown;
  readonly canManage: boolean;
  readonly onChange: (draft: SchemaDraft) => void;
}

/** The schema as fields or as JSON. */
export function SchemaForm({ draft, checked, refused, canManage, onChange }: SchemaFormProps) {
  const group = useId();
  const [conversion, setConversion] = useState<ParsedDraft>();
  /** A draft in the other form. Showing it is not a change. */
  const [converted, setConverted] = useState<{ readonly from: SchemaDraft; readonly draft: SchemaDraft }>();
  const shown = converted?.from === draft ? converted.draft : draft;
  const convert = () => {
    const other = convertDraft(shown);
    setConversion(other ? undefined : parseDraft(shown));
    if (other) setConverted({ from: draft, draft: other });
  };
  const change = (next: SchemaDraft) => {
    setConversion(undefined);
    onChange(next);
  };
  const errors = conversion ?? checked;
  const rowErrors = useMemo(
    () => errors?.rowErrors ?? (shown.form === "fields" ? toRowErrors(refused, shown) : undefined),
    [errors, refused, shown],
  );
  return (
    <section className="schema-form">
      <fieldset className="segments">
        <legend className="hidden">{texts.form}</legend>
        {(["fields", "json"] as const).map((form) => (
          <label key={form}>
            <input type="radio" name={group} checked={shown.form === form} onChange={convert} />
            {texts.forms[form]}
          </label>
        ))}
      </fieldset>
      <Refused error={refused} />
      {shown.form === "json" ? (
        <Field label={texts.json} hint={texts.jsonHint} error={errors?.error} className="schema-json">
          <textarea
            spellCheck={false}
            autoCapitalize="none"
            rows={Math.max(12, Math.min(30, shown.text.split("\n").length + 1))}
            readOnly={!canManage}
            value={shown.text}
            onChange={({ target }) => change({ form: "json", text: target.value })}
          />
        </Field>
      ) : (
        <Fields draft={shown} rowErrors={rowErrors} canManage={canManage} onChange={change} />
      )}
    </section>
  );
}

interface FieldsProps {
  readonly draft: FieldsDraft;
  readonly rowErrors: RowErrors | undefined;
  readonly canManage: boolean;
  readonly onChange: (draft: SchemaDraft) => void;
}

function Fields({ draft, rowErrors, canManage, onChange }: FieldsProps) {
  const { rows, others } = draft;
  const list = useRef<HTMLUListElement>(null);
  const add = useRef<HTMLButtonElement>(null);
  const added = useRef<number>(undefined);
  const [opened, setOpened] = useState<ReadonlySet<number>>(
    // The only field is a new one.
    () => new Set(rows.length === 1 && rows[0]?.name === "" ? [rows[0].key] : []),
  );
  useEffect(() => {
    if (added.current !== undefined && rows.at(-1)?.key === added.current) {
      list.current?.querySelector<HTMLElement>(":scope > li:last-child input")?.focus();
    }
    added.current = undefined;
  }, [rows]);
  // Show the first error at its input.
  const [shownErrors, setShownErrors] = useState<RowErrors>();
  if (rowErrors !== shownErrors) {
    setShownErrors(rowErrors);
    if (rowErrors) setOpened(new Set([...opened, ...rowErrors.keys()]));
  }
  useEffect(() => {
    if (rowErrors?.size) list.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  }, [rowErrors]);
  const toggle = (key: number) => {
    const next = new Set(opened);
    if (!next.delete(key)) next.add(key);
    setOpened(next);
  };
  const setRows = (rows: readonly FieldRow[]) => onChange({ ...draft, rows });
  const addRow = () => {
    const row = newRow();
    added.current = row.key;
    setOpened(new Set([...opened, row.key]));
    setRows([...rows, row]);
  };
  return (
    <>
      {rows.length === 0 && <p className="hint">{texts.fields.none}</p>}
      <ul ref={list} className="schema-fields" aria-label={texts.fields.list}>
        {rows.map((row) => (
          <FieldRowForm
            key={row.key}
            row={row}
            errors={rowErrors?.get(row.key) ?? []}
            isOpen={opened.has(row.key)}
            canManage={canManage}
            onToggle={() => toggle(row.key)}
            onChange={(changed) => setRows(rows.map((each) => (each.key === row.key ? changed : each)))}
            onRemove={() => {
              setRows(rows.filter(({ key }) => key !== row.key));
              add.current?.focus();
            }}
          />
        ))}
      </ul>
      {canManage && (
        <Button ref={add} className="custom-field-add" icon={<Plus aria-hidden />} onClick={addRow}>
          {texts.fields.add}
        </Button>
      )}
      {others === "schema" ? (
        <p className="hint">{texts.fields.othersRestricted}</p>
      ) : (
        <label className="check-line">
          <input
            type="checkbox"
            checked={others}
            disabled={!canManage}
            onChange={() => onChange({ ...draft, others: !others })}
          />
          {texts.fields.others}
        </label>
      )}
    </>
  );
}

const PROPERTY = /^\/properties\/([^/]+)(?:\/(.*))?$/;

/** The errors of the service, by the key of their row. Undefined if there are none. */
function toRowErrors(refused: unknown, { rows }: FieldsDraft): RowErrors | undefined {
  const errors = refused instanceof ApiError ? (refused.problem?.errors ?? []) : [];
  const found = new Map<number, RowError[]>();
  for (const { pointer = "", detail } of errors) {
    const [, name, part = ""] = PROPERTY.exec(pointer) ?? [];
    const row = rows.find((each) => each.name.trim() === name);
    if (row) found.set(row.key, [...(found.get(row.key) ?? []), { part, text: detail }]);
  }
  return found.size > 0 ? found : undefined;
}

/** What the service does not accept, with the place of each error. */
function Refused({ error }: { readonly error: unknown }) {
  if (error === undefined || error === null) return null;
  const errors = error instanceof ApiError ? (error.problem?.errors ?? []) : [];
  const { text } = describeError(error);
  const isListed = isProblem(error, "invalid-schema") && errors.length > 0;
  return (
    <Alert title={texts.errors.title}>
      {!isListed && text}
      {errors.map(({ pointer, detail }) => (
        <span key={`${pointer} ${detail}`} className="schema-error">
          {pointer !== undefined && <code>{pointer}</code>} {detail}
        </span>
      ))}
    </Alert>
  );
}
