import { type FormEvent, useState } from "react";
import { describeLimits } from "../../fields/field-limits.ts";
import { users as texts } from "../../texts/index.ts";
import { Button } from "../../ui/button.tsx";
import { Field, focusFirstError } from "../../ui/field.tsx";
import { useFirstFocus } from "../../ui/popup.tsx";
import { Select } from "../../ui/select.tsx";
import { Loading } from "../../ui/states.tsx";
import { type Condition, isDay } from "./condition.ts";
import {
  type Choice,
  type ConditionErrors,
  type ConditionInput,
  choiceOf,
  choicesOf,
  readCondition,
  toInput,
} from "./condition-input.ts";
import { describeCondition, operatorWords, valueWords } from "./condition-words.ts";
import { type FilterField, parseValue, useFilterField } from "./filter-field.ts";
import { type ListedValues, useListedValues, ValueChoice } from "./value-choice.tsx";

const filterTexts = texts.filter;

interface FilterFormProps {
  readonly field: string;
  /** The condition to edit. Absent for a new one. */
  readonly condition?: Condition | undefined;
  /** Whether the URL can have a parameter for the field. */
  readonly canBeParameter: boolean;
  readonly onApply: (condition: Condition) => void;
}

/** A condition on one field: what its kind allows. */
export function FilterForm({ field: name, ...props }: FilterFormProps) {
  const field = useFilterField(name);
  return field ? <ConditionForm field={field} {...props} /> : <Loading />;
}

interface ConditionFormProps extends Omit<FilterFormProps, "field"> {
  readonly field: FilterField;
}

function ConditionForm({ field, condition, canBeParameter, onApply }: ConditionFormProps) {
  const [choice, setChoice] = useState(() => choiceOf(field, condition));
  const [input, setInput] = useState(() => toInput(field, condition));
  const [showErrors, setShowErrors] = useState(false);
  const form = useFirstFocus<HTMLFormElement>();
  const listed = useListedValues(field, input.typed);
  const change = (part: Partial<ConditionInput>) => setInput((present) => ({ ...present, ...part }));
  const { condition: read, errors: found } = readCondition({
    field,
    choice,
    input,
    listed: listed.values,
    canBeParameter,
  });
  const errors = showErrors ? found : {};
  const submit = (event: FormEvent) => {
    event.preventDefault();
    // A condition that stays the same stays a parameter of the URL.
    if (read) return onApply(condition && isSame(condition, read) ? condition : read);
    setShowErrors(true);
    // The errors are not in the page yet.
    requestAnimationFrame(() => focusFirstError(form.current));
  };
  /** The words of the chosen condition are those of its chip. */
  const words = (option: Choice) => {
    if (option === "last") return filterTexts.words.last;
    const { operator, values } = option === choice && read ? read : { operator: option, values: [] };
    const isRange = operator === "range" || operator === "days";
    const verb = operatorWords(operator, values, field);
    return isRange ? `${verb} ${filterTexts.words.fromTo("…", "…")}` : verb;
  };
  const hint = [field.spec?.description, field.kind === "number" && field.spec && describeLimits(field.spec)];
  const help = hint.filter((part) => typeof part === "string").join(" ");
  return (
    <form ref={form} className="form filter-form" onSubmit={submit} noValidate>
      {help !== "" && <p className="hint">{help}</p>}
      <Field label={filterTexts.operator} hideLabel>
        <Select
          value={choice}
          options={choicesOf(field, choice)}
          getLabel={words}
          onChoose={(next) => {
            setChoice(next);
            setShowErrors(false);
          }}
        />
      </Field>
      <ConditionControls {...{ field, choice, input, errors, listed, read }} onChange={change} />
      <Button kind="primary" type="submit">
        {filterTexts.apply}
      </Button>
    </form>
  );
}

const isSame = (one: Condition, other: Condition) =>
  one.operator === other.operator &&
  JSON.stringify(one.values.map(String)) === JSON.stringify(other.values.map(String));

interface ControlsProps {
  readonly field: FilterField;
  readonly choice: Choice;
  readonly input: ConditionInput;
  readonly errors: ConditionErrors;
  readonly listed: ListedValues;
  /** The condition, if the input is valid. */
  readonly read: Condition | undefined;
  readonly onChange: (part: Partial<ConditionInput>) => void;
}

/** The controls for the values of a condition. */
function ConditionControls({ field, choice, input, errors, listed, read, onChange }: ControlsProps) {
  const type = field.kind === "date" ? "date" : "text";
  switch (choice) {
    case "pr":
    case "np":
      return null;
    case "any":
      return (
        <ValueChoice
          field={field}
          chosen={input.chosen}
          onChange={(chosen) => onChange({ chosen })}
          typed={input.typed}
          onType={(typed) => onChange({ typed })}
          error={errors.value}
          listed={listed}
        />
      );
    case "range":
    case "days":
      return (
        <>
          <div className={choice === "range" ? "filter-range" : "form"}>
            {(["from", "to"] as const).map((end) => (
              <Field key={end} label={filterTexts[end]} error={errors[end]}>
                <input
                  {...(end === "from" && { "data-first-focus": true })}
                  {...(choice === "days" ? dateInput : numberInput)}
                  value={input[end]}
                  onChange={({ target }) => onChange({ [end]: target.value })}
                />
              </Field>
            ))}
          </div>
          {choice === "days" && <p className="hint">{filterTexts.utc}</p>}
        </>
      );
    case "last":
      return (
        <Field
          label={filterTexts.days}
          error={errors.value}
          hint={read ? filterTexts.becomes(describeCondition(read, field)) : filterTexts.utc}
        >
          <input
            data-first-focus
            {...numberInput}
            inputMode="numeric"
            value={input.days}
            onChange={({ target }) => onChange({ days: target.value })}
          />
        </Field>
      );
    default:
      if (field.kind === "group") {
        const id = parseValue(field, input.text);
        return (
          <ValueChoice
            field={field}
            chosen={id === undefined ? [] : [id]}
            // Another group takes the place of the chosen one.
            onChange={(chosen) => onChange({ text: String(chosen.at(-1) ?? "") })}
            typed={input.typed}
            onType={(typed) => onChange({ typed })}
            error={errors.value}
            listed={listed}
          />
        );
      }
      if (field.options.length > 0 && choice === "ne") {
        const options = field.options.map(String);
        return (
          <Field label={filterTexts.value} hideLabel error={errors.value}>
            <Select
              data-first-focus
              value={input.text}
              options={options.includes(input.text) ? options : [input.text, ...options]}
              getLabel={(option) => (option === "" ? filterTexts.choose : valueWords(option, field))}
              onChoose={(text) => onChange({ text })}
            />
          </Field>
        );
      }
      return (
        <Field
          label={type === "date" ? filterTexts.date : filterTexts.value}
          hideLabel={type !== "date"}
          error={errors.value}
          {...(type === "date" && { hint: filterTexts.utc })}
        >
          <input
            data-first-focus
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            {...(type === "date" && (input.text === "" || isDay(input.text)) && dateInput)}
            {...(type === "text" && { placeholder: filterTexts.enterValue })}
            {...(field.kind === "number" && numberInput)}
            value={input.text}
            onChange={({ target }) => onChange({ text: target.value })}
          />
        </Field>
      );
  }
}

/** The day after the last one is still a date. */
const dateInput = { type: "date", max: "9999-12-30" } as const;
const numberInput = { inputMode: "decimal", autoComplete: "off" } as const;
