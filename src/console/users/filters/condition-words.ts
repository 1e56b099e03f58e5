import { formatCalendarDay, formatDateTime } from "../../texts/format.ts";
import { users as texts, values as valueTexts } from "../../texts/index.ts";
import { type Condition, isDay, type Operator, type Scalar } from "./condition.ts";
import type { FilterField } from "./filter-field.ts";

const words = texts.filter.words;

/** More values are a number. */
const SHOWN_VALUES = 3;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/i;

/** What a condition asks, in words: "is", "is any of", "is on or after". Chips and forms have the same words. */
export function operatorWords(
  operator: Operator,
  values: readonly Scalar[],
  { kind }: Pick<FilterField, "kind">,
): string {
  const [value] = values;
  if (operator === "any") return values.length === 1 ? words.is : words.any;
  const isTime = kind === "date" || isDay(value) || (typeof value === "string" && TIME.test(value));
  if (isTime && (operator === "ge" || operator === "lt")) return words.times[operator];
  return words.operators[operator];
}

/** A value as chips and forms show it. */
export function valueWords(value: Scalar, { kind, nameOf }: Pick<FilterField, "kind" | "nameOf">): string {
  if (kind === "group") {
    const name = nameOf?.(Number(value));
    return name === null ? words.deletedGroup(String(value)) : (name ?? String(value));
  }
  if (typeof value === "boolean") return value ? valueTexts.yes : valueTexts.no;
  // Parameters of the URL are texts.
  if (kind === "boolean" && (value === "true" || value === "false"))
    return valueWords(value === "true", { kind });
  if (isDay(value)) return formatCalendarDay(String(value));
  if (kind === "date" && typeof value === "string" && TIME.test(value)) return formatDateTime(value);
  return value === "" ? words.empty : String(value);
}

/** A condition in words: "Plan is pro". */
export function describeCondition({ operator, values }: Condition, field: FilterField): string {
  const shown = values.slice(0, SHOWN_VALUES).map((value) => valueWords(value, field));
  const more = values.length - shown.length;
  const [from = "", to = ""] = shown;
  const isRange = operator === "range" || operator === "days";
  const list = isRange ? words.fromTo(from, to) : words.list(more > 0 ? [...shown, words.more(more)] : shown);
  return [field.label, operatorWords(operator, values, field), list].filter((part) => part !== "").join(" ");
}
