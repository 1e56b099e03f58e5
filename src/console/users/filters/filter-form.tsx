import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useId, useState } from "react";
import { isFilterName } from "../../../contract/listing.ts";
import { users as texts, values as valueTexts } from "../../texts/index.ts";
import { Button } from "../../ui/button.tsx";
import { Field } from "../../ui/field.tsx";
import { Select, Suggestions } from "../../ui/select.tsx";
import { type FieldKind, fieldKind, fieldValuesQuery, useFields } from "../field-info.ts";
import { fieldLabel, formatValue } from "../fields.ts";
import { type Condition, type Operator, operatorsByKind } from "./condition.ts";

const filterTexts = texts.filter;
/** "In the last … days" is stored as a date: `createdAt ge "2026-01-31"`. */
type Choice = Operator | "last";
const DAY_MS = 86_400_000;

interface FilterFormProps {
  readonly fields: readonly string[];
  /** The condition to edit. Absent for a new one. */
  readonly condition?: Condition;
  readonly onSubmit: (condition: Condition) => void;
}

/** A field, an operator that its type allows, and a value. */
export function FilterForm({ fields, condition, onSubmit }: FilterFormProps) {
  const [field, setField] = useState(condition?.field ?? "");
  const [choice, setChoice] = useState<Choice | undefined>(condition?.operator);
  const [value, setValue] = useState(condition?.value === undefined ? "" : formatValue(condition.value));
  const [showErrors, setShowErrors] = useState(false);
  const list = useId();
  const suggestions = useId();
  const name = field.trim();
  const types = useFields()?.find((info) => info.name === name)?.types;
  const known = fields.includes(name);
  const { data: samples } = useQuery(fieldValuesQuery(known ? name : "", ""));
  const kind = fieldKind(name, types, samples);
  const choices = choicesOf(kind);
  const chosen = choice !== undefined && choices.includes(choice) ? choice : (choices[0] ?? "eq");
  const needsValue = chosen !== "pr" && chosen !== "np";
  const { data: matching } = useQuery(fieldValuesQuery(known && kind === "text" ? name : "", value));
  const nameError = describeFieldError(name, chosen);
  const { error: valueError, ...parsed }: ParsedValue = needsValue ? parseValue(kind, chosen, value) : {};

  const submit = (event: FormEvent) => {
    event.preventDefault();
    setShowErrors(true);
    if (nameError !== undefined || valueError !== undefined) return;
    if (chosen === "last") onSubmit({ field: name, operator: "ge", ...parsed });
    else onSubmit({ field: name, operator: chosen, ...parsed });
  };
  return (
    <form className="form" onSubmit={submit} noValidate>
      <Field label={filterTexts.field} error={showErrors ? nameError : undefined}>
        <input
          list={list}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          value={field}
          onChange={({ target }) => setField(target.value)}
        />
      </Field>
      <Suggestions id={list} values={fields} />
      <Field label={filterTexts.operator}>
        <Select
          value={chosen}
          options={choices}
          getLabel={(option) => operatorLabel(kind, option)}
          onChoose={setChoice}
        />
      </Field>
      {needsValue && (
        <Field
          label={chosen === "last" ? filterTexts.days : filterTexts.value}
          error={showErrors ? valueError : undefined}
        >
          {kind === "boolean" ? (
            <Select
              value={value === "false" ? "false" : "true"}
              options={["true", "false"]}
              getLabel={(option) => (option === "true" ? valueTexts.yes : valueTexts.no)}
              onChoose={setValue}
            />
          ) : (
            <input
              type={inputType(kind, chosen)}
              step={chosen === "last" ? 1 : "any"}
              list={kind === "text" || kind === "list" ? suggestions : undefined}
              autoComplete="off"
              value={value}
              onChange={({ target }) => setValue(target.value)}
            />
          )}
        </Field>
      )}
      <Suggestions id={suggestions} values={(matching ?? samples ?? []).map(String)} />
      <Button kind="primary" type="submit">
        {condition ? filterTexts.save : filterTexts.add}
      </Button>
    </form>
  );
}

const choicesOf = (kind: FieldKind): readonly Choice[] =>
  kind === "date" ? ["last", ...operatorsByKind.date] : operatorsByKind[kind];

function operatorLabel(kind: FieldKind, choice: Choice): string {
  if (kind === "date" && (choice === "ge" || choice === "lt")) return filterTexts.dateOperators[choice];
  return choice === "last" ? filterTexts.last : filterTexts.operators[choice];
}

function inputType(kind: FieldKind, choice: Choice): string {
  if (choice === "last" || kind === "number") return "number";
  return kind === "date" ? "date" : "text";
}

interface ParsedValue {
  readonly value?: string | number | boolean;
  readonly error?: string;
}

function parseValue(kind: FieldKind, choice: Choice, text: string): ParsedValue {
  if (kind === "boolean") return { value: text !== "false" };
  if (choice === "last") {
    const days = Number(text);
    if (!Number.isInteger(days) || days < 1 || days > 36_500) return { error: filterTexts.errors.days };
    return { value: new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10) };
  }
  if (kind === "number") {
    const number = Number(text);
    if (text.trim() === "" || !Number.isFinite(number)) return { error: filterTexts.errors.number };
    return { value: number };
  }
  if (kind === "date" && text === "") return { error: filterTexts.errors.date };
  return { value: text };
}

/** The exact filter by a field is a parameter of the URL, and some names have another meaning there. */
function describeFieldError(field: string, choice: Choice): string | undefined {
  if (field === "") return filterTexts.nameless;
  return choice === "eq" && !isFilterName(field) ? filterTexts.reserved(field) : undefined;
}

/** A condition in words: "Plan is pro". */
export function describeCondition({ field, operator, value }: Condition): string {
  const label = fieldLabel(field);
  const isDate = typeof value === "string" && /^\d{4}-\d\d-\d\d$/.test(value);
  const verb =
    isDate && (operator === "ge" || operator === "lt")
      ? filterTexts.dateOperators[operator]
      : filterTexts.operators[operator];
  return value === undefined ? `${label} ${verb}` : `${label} ${verb} ${formatValue(value)}`;
}
