import { users as texts } from "../../texts/index.ts";
import { parseTypedInput } from "../typed-input.ts";
import { addDays, type Condition, isDay, maxValues, type Operator, type Scalar } from "./condition.ts";
import { type FilterField, operatorsOf, parseValue, valueKey } from "./filter-field.ts";

const { errors: errorTexts } = texts.filter;

/** What a person chooses in the form. "In the last … days" is applied as a date: `createdAt ge "2026-01-31"`. */
export type Choice = Operator | "last";

/** What a person enters, for every choice: another choice keeps it. */
export interface ConditionInput {
  readonly chosen: readonly Scalar[];
  readonly typed: string;
  readonly text: string;
  readonly from: string;
  readonly to: string;
  readonly days: string;
}

export type ConditionErrors = Partial<Record<"value" | "from" | "to", string>>;

/** The choices for a field. The present one is always among them. */
export function choicesOf(field: FilterField, choice: Choice): readonly Choice[] {
  const choices: readonly Choice[] =
    field.kind === "date" ? ["last", ...operatorsOf(field)] : operatorsOf(field);
  return choices.includes(choice) ? choices : [...choices, choice];
}

/** The choice that edits a condition. A number that is at least or at most another one is a range with one end. */
export function choiceOf(field: FilterField, condition: Condition | undefined): Choice {
  const { operator, values = [] } = condition ?? {};
  if (operator === undefined) return choicesOf(field, "pr")[0] ?? "pr";
  const isNumber = field.kind === "number" && typeof values[0] === "number";
  return isNumber && (operator === "ge" || operator === "le") ? "range" : operator;
}

export function toInput(field: FilterField, condition: Condition | undefined): ConditionInput {
  const { operator, values = [], isParameter = false } = condition ?? {};
  const [value = "", end = value] = values.map(String);
  return {
    chosen:
      operator !== "any"
        ? []
        : isParameter
          ? values.map((each) => parseValue(field, String(each)) ?? each)
          : values,
    typed: "",
    text: operator === "any" || operator === "range" || operator === "days" ? "" : value,
    from: operator === "le" ? "" : value,
    to: operator === "ge" ? "" : end,
    days: "",
  };
}

interface ConditionRequest {
  readonly field: FilterField;
  readonly choice: Choice;
  readonly input: ConditionInput;
  /** The values of the field that begin with the typed text. */
  readonly listed: readonly Scalar[];
  /** Whether the URL can have a parameter for the field. */
  readonly canBeParameter: boolean;
}

type ReadCondition =
  | { readonly condition: Condition; readonly errors: ConditionErrors }
  | { readonly condition?: undefined; readonly errors: ConditionErrors };

/** What to enter, where it is not just any value. */
const missingTexts: Partial<Record<FilterField["kind"], string>> = {
  date: errorTexts.date,
  group: errorTexts.values,
};

/** The condition of a form, or what is wrong with its input. */
export function readCondition(request: ConditionRequest): ReadCondition {
  const { field, choice, input, listed, canBeParameter } = request;
  const found = (operator: Operator, ...values: readonly Scalar[]): ReadCondition => ({
    condition: { field: field.name, operator, values },
    errors: {},
  });
  const wrong = (errors: ConditionErrors): ReadCondition => ({ errors });
  switch (choice) {
    case "pr":
    case "np":
      return found(choice);
    case "any": {
      const values = chosenValues(field, input, listed);
      const isParameter = field.isExact && canBeParameter;
      if (values.length === 0) return wrong({ value: errorTexts.values });
      if (values.length > maxValues(isParameter))
        return wrong({ value: errorTexts.many(maxValues(isParameter)) });
      const condition: Condition = { field: field.name, operator: "any", values };
      return { condition: isParameter ? { ...condition, isParameter } : condition, errors: {} };
    }
    case "range": {
      const [from, to] = [readNumber(input.from), readNumber(input.to)];
      if (from.error !== undefined || to.error !== undefined) {
        return wrong({ ...(from.error && { from: from.error }), ...(to.error && { to: to.error }) });
      }
      if (from.value === undefined) {
        return to.value === undefined ? wrong({ from: errorTexts.range }) : found("le", to.value);
      }
      if (to.value === undefined) return found("ge", from.value);
      return from.value > to.value ? wrong({ to: errorTexts.order }) : found("range", from.value, to.value);
    }
    case "days": {
      const { from, to } = input;
      if (!isDay(from)) return wrong({ from: errorTexts.date });
      if (!isDay(to)) return wrong({ to: errorTexts.date });
      return from > to ? wrong({ to: errorTexts.order }) : found("days", from, to);
    }
    case "last": {
      const days = Number(input.days);
      if (!Number.isInteger(days) || days < 1 || days > 36_500) return wrong({ value: errorTexts.days });
      return found("ge", addDays(new Date().toISOString().slice(0, 10), -days));
    }
    default: {
      if (field.kind === "number" && choice !== "co" && choice !== "sw" && choice !== "ew") {
        const { value, error = errorTexts.value } = readNumber(input.text);
        return value === undefined ? wrong({ value: error }) : found(choice, value);
      }
      if (input.text.trim() === "") return wrong({ value: missingTexts[field.kind] ?? errorTexts.value });
      const value =
        field.options.length > 0 || field.kind === "group" ? parseValue(field, input.text) : input.text;
      return found(choice, value ?? input.text);
    }
  }
}

/** The chosen values, or the typed one. None if several values begin with what is typed. */
function chosenValues(
  field: FilterField,
  { chosen, typed }: ConditionInput,
  listed: readonly Scalar[],
): readonly Scalar[] {
  if (chosen.length > 0 || typed.trim() === "") return chosen;
  const value = parseValue(field, typed.trim());
  const same = listed.find((each) => value !== undefined && valueKey(field, each) === valueKey(field, value));
  if (same !== undefined) return [same];
  const only = listed.length > 1 ? undefined : (listed[0] ?? value);
  return only === undefined ? [] : [only];
}

/** An empty text has neither a value nor an error. */
function readNumber(text: string): { readonly value?: number; readonly error?: string } {
  if (text.trim() === "") return {};
  const { value, error } = parseTypedInput({ type: "number", text });
  return typeof value === "number" ? { value } : { error: error ?? errorTexts.value };
}
