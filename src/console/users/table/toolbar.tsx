import { Columns3, ListFilter, X } from "lucide-react";
import { type FormEvent, type RefObject, useEffect, useId, useState } from "react";
import { filterLimits, isFilterName, listLimits } from "../../../contract/listing.ts";
import { users as texts } from "../../texts/index.ts";
import { Button } from "../../ui/button.tsx";
import { Field } from "../../ui/field.tsx";
import { Popup } from "../../ui/popup.tsx";
import { SearchField } from "../../ui/search-field.tsx";
import { Select, Suggestions } from "../../ui/select.tsx";
import { fieldLabel } from "../fields.ts";
import { type ListParams, sorts } from "../list-params.ts";

/** Delay between the last key press and the search. */
const DEBOUNCE_MS = 180;

interface SearchBoxProps {
  readonly value: string;
  readonly onChange: (q: string) => void;
  readonly input: RefObject<HTMLInputElement | null>;
}

/** Searches while the person types. */
export function SearchBox({ value, onChange, input }: SearchBoxProps) {
  const [typed, setTyped] = useState(value);
  // The URL may change by other means, such as the Back button.
  useEffect(() => setTyped(value), [value]);
  useEffect(() => {
    if (typed === value) return;
    const timer = setTimeout(() => onChange(typed), DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [typed, value, onChange]);
  return (
    <SearchField
      label={texts.search}
      clearLabel={texts.clearSearch}
      title={texts.searchHint}
      maxLength={listLimits.searchCharacters}
      hint={<kbd aria-hidden>/</kbd>}
      input={input}
      value={typed}
      onChange={setTyped}
    />
  );
}

interface SortSelectProps {
  readonly sort: ListParams["sort"];
  readonly onChange: (sort: ListParams["sort"]) => void;
}

/** Sort order for small screens, which have no column headings. */
export function SortSelect({ sort, onChange }: SortSelectProps) {
  return (
    <Select
      className="input sort-choice"
      aria-label={texts.sort.by}
      value={sort}
      // The table may be sorted by a custom field.
      options={sorts.includes(sort) ? sorts : [...sorts, sort]}
      getLabel={(choice) => texts.sort.choice(fieldLabel(choice.replace("-", "")), choice.startsWith("-"))}
      onChoose={onChange}
    />
  );
}

type Filters = Pick<ListParams, "where" | "filter">;

interface FilterProps {
  readonly fields: readonly string[];
  readonly filters: Filters;
  readonly onChange: (change: Partial<Filters>) => void;
}

export function FilterButton({ fields, filters, onChange }: FilterProps) {
  const [open, setOpen] = useState(false);
  const apply = (change: Partial<Filters>) => {
    onChange(change);
    setOpen(false);
  };
  return (
    <Popup
      title={texts.filter.title}
      open={open}
      onOpenChange={setOpen}
      trigger={<Button icon={<ListFilter aria-hidden />}>{texts.filter.button}</Button>}
    >
      <FieldFilterForm fields={fields} filters={filters} onChange={apply} />
      <ExpressionForm filters={filters} onChange={apply} />
    </Popup>
  );
}

/** One field and its value. */
function FieldFilterForm({ fields, filters: { where }, onChange }: FilterProps) {
  const [field, setField] = useState("");
  const [value, setValue] = useState("");
  const [showErrors, setShowErrors] = useState(false);
  const list = useId();
  const add = (event: FormEvent) => {
    event.preventDefault();
    const name = field.trim();
    setShowErrors(true);
    if (filterFault(name) !== undefined) return;
    onChange({ where: { ...where, [name]: [...new Set([...(where[name] ?? []), value])] } });
  };
  return (
    <form className="form" onSubmit={add}>
      <Field label={texts.filter.field} error={showErrors ? filterFault(field.trim()) : undefined}>
        <input
          list={list}
          autoComplete="off"
          value={field}
          onChange={(event) => setField(event.target.value)}
        />
      </Field>
      <Suggestions id={list} values={fields} />
      <Field label={texts.filter.value} hint={texts.filter.hint}>
        <input autoComplete="off" value={value} onChange={(event) => setValue(event.target.value)} />
      </Field>
      <Button kind="primary" type="submit">
        {texts.filter.add}
      </Button>
    </form>
  );
}

/** A filter expression. The service checks it. */
function ExpressionForm({ filters, onChange }: Omit<FilterProps, "fields">) {
  const [filter, setFilter] = useState(filters.filter);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onChange({ filter: filter.trim() });
  };
  return (
    <form className="form" onSubmit={submit}>
      <Field label={texts.filter.expression} hint={texts.filter.expressionHint}>
        <textarea
          rows={2}
          spellCheck={false}
          maxLength={filterLimits.characters}
          value={filter}
          onChange={(event) => setFilter(event.target.value)}
        />
      </Field>
      <Button type="submit">{texts.filter.apply}</Button>
    </form>
  );
}

function filterFault(field: string): string | undefined {
  if (field === "") return texts.filter.nameless;
  return isFilterName(field) ? undefined : texts.filter.reserved(field);
}

/** The active filters, each with a remove button. */
export function FilterChips({ filters: { where, filter }, onChange }: Omit<FilterProps, "fields">) {
  const chips = Object.entries(where).flatMap(([field, values]) =>
    values.map((value) => [field, value] as const),
  );
  if (chips.length === 0 && filter === "") return null;
  const remove = (field: string, value: string) => {
    const { [field]: values = [], ...otherFields } = where;
    const remaining = values.filter((other) => other !== value);
    onChange({ where: remaining.length > 0 ? { ...otherFields, [field]: remaining } : otherFields });
  };
  return (
    <ul className="chips">
      {chips.map(([field, value]) => (
        <li key={JSON.stringify([field, value])} className="chip">
          {texts.filter.chip(fieldLabel(field), value)}
          <button
            type="button"
            aria-label={texts.filter.remove(fieldLabel(field), value)}
            onClick={() => remove(field, value)}
          >
            <X aria-hidden />
          </button>
        </li>
      ))}
      {filter !== "" && (
        <li className="chip">
          <code>{filter}</code>
          <button
            type="button"
            aria-label={texts.filter.removeExpression}
            onClick={() => onChange({ filter: "" })}
          >
            <X aria-hidden />
          </button>
        </li>
      )}
      <li>
        <Button kind="quiet" onClick={() => onChange({ where: {}, filter: "" })}>
          {texts.filter.clear}
        </Button>
      </li>
    </ul>
  );
}

interface ColumnProps {
  readonly fields: readonly string[];
  readonly shown: ReadonlySet<string>;
  readonly onChange: (shown: ReadonlySet<string> | undefined) => void;
}

export function ColumnButton({ fields, shown, onChange }: ColumnProps) {
  const toggle = (field: string) => {
    const next = new Set(shown);
    if (!next.delete(field)) next.add(field);
    onChange(next);
  };
  return (
    <Popup
      title={texts.columns.title}
      lead={texts.columns.lead}
      trigger={
        <Button className="column-choice" icon={<Columns3 aria-hidden />}>
          {texts.columns.button}
        </Button>
      }
    >
      <ul className="checks">
        {fields.map((field) => (
          <li key={field}>
            <label className="check-line">
              <input
                type="checkbox"
                checked={shown.has(field)}
                // The name is always visible: it identifies the row.
                disabled={field === "name"}
                onChange={() => toggle(field)}
              />
              {fieldLabel(field)}
            </label>
          </li>
        ))}
      </ul>
      <Button kind="quiet" onClick={() => onChange(undefined)}>
        {texts.columns.reset}
      </Button>
    </Popup>
  );
}
