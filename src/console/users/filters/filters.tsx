import { type ReactElement, Suspense, useState } from "react";
import { uniqueKeys } from "../../lib/unique-keys.ts";
import { users as texts } from "../../texts/index.ts";
import { Button } from "../../ui/button.tsx";
import { lazyComponent } from "../../ui/error-boundary.tsx";
import { ListFilter, X } from "../../ui/icons.ts";
import { Popup } from "../../ui/popup.tsx";
import { Loading } from "../../ui/states.tsx";
import {
  type Condition,
  type Filters,
  readFilters,
  replaceByExpression,
  toExpression,
  writeFilters,
} from "./condition.ts";
import { describeCondition } from "./condition-words.ts";
import type { FilterStep } from "./filter-editor.tsx";
import { useFilterFields } from "./filter-field.ts";

const FilterEditor = lazyComponent(async () => (await import("../../chunks/users-tools.ts")).FilterEditor);

interface FilterProps {
  readonly fields: readonly string[];
  readonly filters: Filters;
  readonly onChange: (change: Partial<Filters>) => void;
}

/** Adds a filter: a field, and then what it has to be. */
export function FilterButton(props: FilterProps) {
  return (
    <FilterPopup
      {...props}
      start={{ kind: "fields" }}
      trigger={<Button icon={<ListFilter aria-hidden />}>{texts.filter.button}</Button>}
    />
  );
}

interface FilterPopupProps extends FilterProps {
  readonly trigger: ReactElement;
  readonly start: FilterStep;
}

function FilterPopup({ fields, filters, onChange, trigger, start }: FilterPopupProps) {
  const [open, setOpen] = useState(false);
  const [step, setStep] = useState(start);
  const toField = useFilterFields();
  const parts = readFilters(filters);
  const apply = (next: Partial<Filters>) => {
    setOpen(false);
    onChange(next);
  };
  /** Puts the condition in the place of the edited one. */
  const applyCondition = (condition: Condition, edited: Condition | undefined) => {
    const replaced = edited ?? (start.kind === "form" ? start.condition : undefined);
    const key = replaced && conditionKey(replaced);
    const isEdited = (each: Condition) => conditionKey(each) === key;
    const conditions = parts.conditions.some(isEdited)
      ? parts.conditions.map((each) => (isEdited(each) ? condition : each))
      : [...parts.conditions, condition];
    apply(writeFilters({ ...parts, conditions }));
  };
  return (
    <Popup
      title={titleOf(step, (name) => toField(name).label)}
      back={
        step.kind === "fields"
          ? undefined
          : { label: texts.filter.back, onBack: () => setStep({ kind: "fields" }) }
      }
      open={open}
      onOpenChange={(next) => {
        setOpen(next);
        // The popup keeps its content while it closes.
        if (next) setStep(start);
      }}
      trigger={trigger}
    >
      <Suspense fallback={<Loading />}>
        <FilterEditor
          step={step}
          onStep={setStep}
          fields={fields}
          parts={parts}
          expression={toExpression(filters)}
          onCondition={applyCondition}
          onExpression={(expression) => apply(replaceByExpression(filters, expression))}
        />
      </Suspense>
    </Popup>
  );
}

function titleOf(step: FilterStep, labelOf: (field: string) => string): string {
  if (step.kind === "form") return labelOf(step.field);
  return step.kind === "fields" ? texts.filter.title : texts.filter.expression;
}

const conditionKey = ({ field, operator, values }: Condition) => JSON.stringify([field, operator, values]);

/** The active filters. Each opens a form to edit it, and has a remove button. */
export function FilterChips(props: FilterProps) {
  const { filters, onChange } = props;
  const parts = readFilters(filters);
  const { conditions, expression } = parts;
  const toField = useFilterFields(conditions);
  const keys = uniqueKeys(conditions.map(({ field }) => field));
  if (conditions.length === 0 && expression === undefined) return null;
  return (
    <ul className="chips">
      {conditions.map((condition, index) => {
        const label = describeCondition(condition, toField(condition.field));
        const others = conditions.filter((other) => other !== condition);
        return (
          <Chip
            // The same while the condition changes, so that the focus returns to the chip.
            key={keys[index]}
            {...props}
            label={label}
            start={{ kind: "form", field: condition.field, condition }}
            removeLabel={texts.filter.remove(label)}
            onRemove={() => onChange(writeFilters({ ...parts, conditions: others }))}
          />
        );
      })}
      {expression !== undefined && (
        <Chip
          {...props}
          label={<code>{expression}</code>}
          start={{ kind: "expression" }}
          removeLabel={texts.filter.removeExpression}
          onRemove={() => onChange(writeFilters({ conditions }))}
        />
      )}
      <li>
        <Button kind="quiet" onClick={() => onChange({ where: {}, filter: "" })}>
          {texts.filter.clear}
        </Button>
      </li>
    </ul>
  );
}

interface ChipProps extends FilterProps, Pick<FilterPopupProps, "start"> {
  readonly label: string | ReactElement;
  readonly removeLabel: string;
  readonly onRemove: () => void;
}

function Chip({ label, removeLabel, onRemove, ...popup }: ChipProps) {
  return (
    <li className="chip">
      <FilterPopup
        {...popup}
        trigger={
          <button type="button" className="chip-label" title={texts.filter.editHint}>
            {label}
          </button>
        }
      />
      <button type="button" aria-label={removeLabel} title={removeLabel} onClick={onRemove}>
        <X aria-hidden />
      </button>
    </li>
  );
}
