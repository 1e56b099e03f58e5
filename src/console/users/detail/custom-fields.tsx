import { useQueryClient } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useEffect, useId, useRef } from "react";
import { user as texts } from "../../texts/index.ts";
import { Button } from "../../ui/button.tsx";
import { Field } from "../../ui/field.tsx";
import { Suggestions } from "../../ui/select.tsx";
import { listFields, isCustomField } from "../fields.ts";
import { useSearchState } from "../list-params.ts";
import { listQuery } from "../queries.ts";
import { RowFields } from "./custom-field-row.tsx";
import { inOtherForm, newRow, type FieldRow, type RowFault, readOwn } from "./custom-fields-draft.ts";
import type { Editing } from "./use-user-editor.ts";

const own = texts.own;

interface OwnFieldsProps {
  readonly editing: Editing;
  readonly mayWrite: boolean;
}

/** The caller's own fields: a row each with its type, or all of them as JSON. */
export function OwnFields({ editing, mayWrite }: OwnFieldsProps) {
  const { draft, type, check } = editing;
  const heading = useId();
  const group = useId();
  const change = () => {
    const other = inOtherForm(draft.customFields);
    if (other) type({ customFields: other });
    else check();
  };
  return (
    <section className="own" aria-labelledby={heading}>
      <div className="own-head">
        <h3 id={heading} className="section-title">
          {own.title}
        </h3>
        <fieldset className="segments">
          <legend className="hidden">{own.shape}</legend>
          {(["rows", "json"] as const).map((form) => (
            <label key={form}>
              <input type="radio" name={group} checked={draft.customFields.form === form} onChange={change} />
              {own[form]}
            </label>
          ))}
        </fieldset>
      </div>
      {draft.customFields.form === "rows" ? (
        <Rows rows={draft.customFields.rows} editing={editing} mayWrite={mayWrite} />
      ) : (
        <JsonField text={draft.customFields.text} editing={editing} mayWrite={mayWrite} />
      )}
    </section>
  );
}

interface RowsProps extends OwnFieldsProps {
  readonly rows: readonly FieldRow[];
}

function Rows({ rows, editing, mayWrite }: RowsProps) {
  const { draft, faults, type } = editing;
  const list = useRef<HTMLUListElement>(null);
  const add = useRef<HTMLButtonElement>(null);
  const names = useId();
  const added = useRef<number>(undefined);
  const reading = readOwn(draft.customFields);

  useEffect(() => {
    if (rows.at(-1)?.key === added.current)
      list.current?.querySelector<HTMLElement>("li:last-child input")?.focus();
    added.current = undefined;
  }, [rows]);

  const setRows = (next: readonly FieldRow[], mended: readonly string[]) =>
    type({ customFields: { form: "rows", rows: next } }, mended);
  const addRow = () => {
    const row = newRow();
    added.current = row.key;
    setRows([...rows, row], []);
  };
  const removeRow = (row: FieldRow) => {
    setRows(
      rows.filter(({ key }) => key !== row.key),
      [row.name],
    );
    add.current?.focus();
  };
  const faultOf = (row: FieldRow): RowFault | undefined => {
    const seen = faults.checked ? reading.rowFaults.get(row.key) : undefined;
    const said = faults.fields.get(row.name.trim());
    return seen ?? (said === undefined ? undefined : { part: "either", text: said });
  };
  return (
    <>
      {rows.length === 0 && <p className="hint">{mayWrite ? own.hint : own.none}</p>}
      {rows.length > 0 && (
        <ul ref={list} className="own-rows">
          {rows.map((row) => (
            <RowFields
              key={row.key}
              row={row}
              fault={faultOf(row)}
              names={names}
              mayWrite={mayWrite}
              onChange={(part) =>
                setRows(
                  rows.map((each) => (each.key === row.key ? { ...each, ...part } : each)),
                  [row.name.trim()],
                )
              }
              onRemove={() => removeRow(row)}
            />
          ))}
        </ul>
      )}
      <KnownNames id={names} taken={rows} />
      {mayWrite && (
        <Button ref={add} className="own-add" icon={<Plus aria-hidden />} onClick={addRow}>
          {own.add}
        </Button>
      )}
    </>
  );
}

/** The names that the users in the table have: most often it is one of these. */
function KnownNames({ id, taken }: { readonly id: string; readonly taken: readonly FieldRow[] }) {
  const [search] = useSearchState();
  const list = useQueryClient().getQueryData(listQuery(search).queryKey);
  const known = listFields(list?.pages.flatMap(({ users }) => users) ?? []);
  const others = known.filter((field) => isCustomField(field) && !taken.some(({ name }) => name === field));
  return <Suggestions id={id} of={others} />;
}

interface JsonFieldProps extends OwnFieldsProps {
  readonly text: string;
}

function JsonField({ text, editing, mayWrite }: JsonFieldProps) {
  const { draft, faults, type } = editing;
  const { jsonFault, fields, lines } = readOwn(draft.customFields);
  const said = [...faults.fields]
    .filter(([field]) => fields.has(field))
    .map(([field, fault]) => texts.json.line(lines.get(field) ?? 1, field, fault));
  const fault = jsonFault ?? (said.length > 0 ? said.join(" ") : undefined);
  return (
    <Field
      className="own-json"
      label={own.jsonLabel}
      {...(fault === undefined && { hint: own.sound })}
      fault={fault}
    >
      <textarea
        spellCheck={false}
        autoCapitalize="none"
        rows={Math.max(8, Math.min(24, text.split("\n").length + 1))}
        readOnly={!mayWrite}
        value={text}
        onChange={({ target }) => type({ customFields: { form: "json", text: target.value } }, [...fields.keys()])}
      />
    </Field>
  );
}
