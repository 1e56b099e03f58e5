import { type FormEvent, useState } from "react";
import { filterLimits } from "../../../contract/listing.ts";
import { users as texts } from "../../texts/index.ts";
import { Button } from "../../ui/button.tsx";
import { Field } from "../../ui/field.tsx";
import { ListFilter, X } from "../../ui/icons.ts";
import { Popup } from "../../ui/popup.tsx";
import type { ListParams } from "../list-params.ts";
import { type Condition, formatConditions, formatWhere, parseConditions } from "./condition.ts";
import { describeCondition, FilterForm } from "./filter-form.tsx";

type Filters = Pick<ListParams, "where" | "filter">;

interface FilterProps {
  readonly fields: readonly string[];
  readonly filters: Filters;
  readonly onChange: (change: Partial<Filters>) => void;
}

/** Adds a filter, or edits all of them as one expression. */
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
      <FilterForm fields={fields} onSubmit={(condition) => apply(addCondition(filters, condition))} />
      <ExpressionForm filters={filters} onChange={apply} />
    </Popup>
  );
}

/** All filters as text. The service checks the expression. */
function ExpressionForm({ filters, onChange }: Omit<FilterProps, "fields">) {
  const [filter, setFilter] = useState(() => toExpression(filters));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onChange({ filter: filter.trim(), where: {} });
  };
  return (
    <form className="form expression" onSubmit={submit}>
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

/** The active filters. Each opens a form to edit it, and has a remove button. */
export function FilterChips({ fields, filters, onChange }: FilterProps) {
  const { where, filter } = filters;
  const conditions = parseConditions(filter);
  const exact = Object.entries(where).flatMap(([field, values]) =>
    values.map((value): Condition => ({ field, operator: "eq", value })),
  );
  if (exact.length === 0 && filter === "") return null;
  const removeExact = ({ field, value }: Condition): Filters => {
    const { [field]: values = [], ...otherFields } = where;
    const remaining = values.filter((other) => other !== value);
    return { filter, where: remaining.length > 0 ? { ...otherFields, [field]: remaining } : otherFields };
  };
  const removeCondition = (condition: Condition): Filters => ({
    where,
    filter: formatConditions((conditions ?? []).filter((other) => other !== condition)),
  });
  const chip = (condition: Condition, remaining: Filters) => (
    <Chip
      key={`${condition.operator} ${JSON.stringify([condition.field, condition.value ?? null])}`}
      fields={fields}
      condition={condition}
      onRemove={() => onChange(remaining)}
      onEdit={(next) => onChange({ ...remaining, ...addCondition(remaining, next) })}
    />
  );
  return (
    <ul className="chips">
      {exact.map((condition) => chip(condition, removeExact(condition)))}
      {conditions?.map((condition) => chip(condition, removeCondition(condition)))}
      {!conditions && (
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

interface ChipProps {
  readonly fields: readonly string[];
  readonly condition: Condition;
  readonly onEdit: (condition: Condition) => void;
  readonly onRemove: () => void;
}

function Chip({ fields, condition, onEdit, onRemove }: ChipProps) {
  const [open, setOpen] = useState(false);
  const label = describeCondition(condition);
  return (
    <li className="chip">
      <Popup
        title={texts.filter.edit}
        open={open}
        onOpenChange={setOpen}
        trigger={
          <button type="button" className="chip-label" title={texts.filter.editHint}>
            {label}
          </button>
        }
      >
        <FilterForm
          fields={fields}
          condition={condition}
          onSubmit={(next) => {
            setOpen(false);
            onEdit(next);
          }}
        />
      </Popup>
      <button type="button" aria-label={texts.filter.remove(label)} onClick={onRemove}>
        <X aria-hidden />
      </button>
    </li>
  );
}

/** An exact match is a filter by field, which matches any of its values. Other conditions join the expression. */
function addCondition({ where, filter }: Filters, condition: Condition): Partial<Filters> {
  const { field, operator, value } = condition;
  if (operator === "eq") {
    const text = String(value);
    return { where: { ...where, [field]: [...new Set([...(where[field] ?? []), text])] } };
  }
  const conditions = parseConditions(filter);
  const rest = conditions ? formatConditions(conditions) : `(${filter})`;
  return { filter: [rest, formatConditions([condition])].filter((part) => part !== "").join(" and ") };
}

/** All filters as one expression. */
function toExpression({ where, filter }: Filters): string {
  const exact = formatWhere(where);
  if (exact === "" || filter === "") return exact + filter;
  return `${exact} and ${parseConditions(filter) ? filter : `(${filter})`}`;
}
