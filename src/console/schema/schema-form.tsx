import { useEffect, useId, useRef, useState } from "react";
import { ApiError } from "../../client/index.ts";
import { describeError, isProblem } from "../lib/api.ts";
import { schema as texts } from "../texts/schema.ts";
import { Button } from "../ui/button.tsx";
import { Field } from "../ui/field.tsx";
import { Plus } from "../ui/icons.ts";
import { Alert } from "../ui/states.tsx";
import { type FieldRow, newRow } from "./field-row.ts";
import { FieldRowForm } from "./field-row-form.tsx";
import {
  convertDraft,
  type FieldsDraft,
  type ParsedDraft,
  parseDraft,
  type SchemaDraft,
} from "./schema-draft.ts";

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
        <Fields draft={shown} rowErrors={errors?.rowErrors} canManage={canManage} onChange={change} />
      )}
    </section>
  );
}

interface FieldsProps {
  readonly draft: FieldsDraft;
  readonly rowErrors: ReadonlyMap<number, string> | undefined;
  readonly canManage: boolean;
  readonly onChange: (draft: SchemaDraft) => void;
}

function Fields({ draft, rowErrors, canManage, onChange }: FieldsProps) {
  const { rows, others } = draft;
  const list = useRef<HTMLUListElement>(null);
  const add = useRef<HTMLButtonElement>(null);
  const added = useRef<number>(undefined);
  useEffect(() => {
    if (added.current !== undefined && rows.at(-1)?.key === added.current) {
      list.current?.querySelector<HTMLElement>(":scope > li:last-child input")?.focus();
    }
    added.current = undefined;
  }, [rows]);
  useEffect(() => {
    if (rowErrors?.size) list.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  }, [rowErrors]);
  const setRows = (rows: readonly FieldRow[]) => onChange({ ...draft, rows });
  const addRow = () => {
    const row = newRow();
    added.current = row.key;
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
            error={rowErrors?.get(row.key)}
            canManage={canManage}
            onChange={(part) =>
              setRows(rows.map((each) => (each.key === row.key ? { ...each, ...part } : each)))
            }
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
