import type { Json } from "../../client/index.ts";
import { type TypedInput, toTypedInput } from "../users/typed-input.ts";
import type { ControlKind, FieldSpec } from "./field-spec.ts";

/** A value in a form that knows its field. Undefined: the user does not have the field. */
export type FieldInput = TypedInput | undefined;

const DATE = /^\d{4}-\d\d-\d\d$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d/;

/** The control that shows an input: that of the field, or "any" if the control can't show the value. */
export function controlFor({ control }: FieldSpec, input: FieldInput): ControlKind {
  if (input === undefined || input.type === "null" || input.isPartial) return control;
  return canShow[control](input) ? control : "any";
}

const canShow: Readonly<Record<ControlKind, (input: TypedInput) => boolean>> = {
  text: ({ type }) => type === "text",
  number: ({ type }) => type === "number",
  switch: ({ type }) => type === "boolean",
  // A value that is not allowed is one more option.
  select: ({ type }) => type !== "json",
  date: ({ type, text }) => type === "text" && DATE.test(text),
  "date-time": ({ type, text }) => type === "text" && TIME.test(text) && !Number.isNaN(Date.parse(text)),
  tags: ({ type, text }) => type === "json" && parseTags(text) !== undefined,
  any: () => true,
};

/**
 * Whether the form of a new user shows the default as the value. A text that is emptied would show it again while the person types
 * another one.
 */
export const showsDefault = (control: ControlKind) => control === "switch" || control === "select";

/** The elements of a JSON list of texts. Undefined for anything else. */
export function parseTags(text: string): readonly string[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) && value.every((tag) => typeof tag === "string") ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A list without elements is no value, unless the field needs one. */
export const toTagsInput = (tags: readonly string[], isRequired: boolean): FieldInput =>
  tags.length === 0 && !isRequired ? undefined : { type: "json", text: JSON.stringify(tags) };

/** What an input for dates has. Its value is empty while a part of the date is missing. */
export function readDate(
  { value, validity }: HTMLInputElement,
  toText = (text: string): string => text,
): FieldInput {
  if (validity.badInput) return { type: "text", text: "", isPartial: true };
  return value === "" ? undefined : { type: "text", text: toText(value) };
}

/** The text of `<input type="datetime-local">`, in local time. */
export function toLocalTime(text: string): string {
  const time = new Date(text);
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

/** A moment of local time, in UTC. */
export function fromLocalTime(text: string): string {
  return new Date(text).toISOString().replace(".000Z", "Z");
}

/** A value as the text of an option. Different values have different texts. */
export const toOptionText = (value: Json) => JSON.stringify(value);

export function fromOptionText(text: string): FieldInput {
  if (text === "") return undefined;
  const value: Json = JSON.parse(text);
  return toTypedInput(value);
}
