import type { ReactElement, ReactNode, SyntheticEvent } from "react";
import type { Json } from "../../client/index.ts";
import { values as texts } from "../texts/index.ts";
import { Button } from "../ui/button.tsx";
import { Field } from "../ui/field.tsx";
import { X } from "../ui/icons.ts";
import { Switch } from "../ui/switch.tsx";
import { formatValue } from "../users/fields.ts";
import { parseTypedInput, toTypedInput, type ValueType } from "../users/typed-input.ts";
import { typedInputControl } from "../users/typed-input-control.tsx";
import {
  controlFor,
  type FieldInput,
  fromLocalTime,
  fromOptionText,
  parseTags,
  readDate,
  showsDefault,
  toLocalTime,
  toOptionText,
  toTagsInput,
} from "./field-input.ts";
import { describeLimits } from "./field-limits.ts";
import type { ControlKind, FieldSpec } from "./field-spec.ts";
import { TagsField } from "./tags-field.tsx";
import { TypeMenu } from "./type-menu.tsx";

interface ValueFieldProps {
  readonly spec: FieldSpec;
  readonly input: FieldInput;
  readonly onChange: (input: FieldInput) => void;
  readonly error?: string | undefined;
  readonly readOnly?: boolean;
  /** Default: the name of the field. */
  readonly label?: string;
  /** Whether it is the form of a new user: it says what is required, and which default a field has. */
  readonly isNew?: boolean;
  /** Offers another type: no schema restricts it. */
  readonly canRetype?: boolean;
  /** Replaces what the schema says about the field. */
  readonly hint?: ReactNode;
  readonly className?: string;
}

/** A value of a custom field, with the control that its schema suggests. */
export function ValueField(props: ValueFieldProps) {
  const { spec, input, onChange, error, readOnly = false, isNew = false, className = "" } = props;
  const { label = spec.label, hint = describeField(spec, isNew), canRetype = false } = props;
  const control = controlFor(spec, input);
  const hasMenu = !readOnly && (canRetype || control === "any");
  // A new user without a value gets the default.
  const canUnset = !spec.required && !(isNew && spec.default !== undefined);
  const canClear = !readOnly && canUnset && input !== undefined && clearable.has(control);
  const field = {
    className: `value-field ${className}`,
    label: (
      <>
        {label}
        {isNew && spec.required && <span className="field-required"> {texts.required}</span>}
      </>
    ),
    hint,
    error,
    aside: (
      <>
        {hasMenu && (
          <TypeMenu
            name={label}
            type={input?.type ?? firstTypes[control] ?? anyType(spec.types)}
            onType={(type) => onChange(retype(input, type))}
            onRemove={spec.required ? undefined : () => onChange(undefined)}
          />
        )}
        {canClear && (
          <Button
            kind="quiet"
            className="field-clear"
            icon={<X aria-hidden />}
            aria-label={texts.clear(label)}
            title={texts.clear(label)}
            onClick={({ currentTarget }) => {
              // A part of a date is no value that could be replaced.
              const date = currentTarget.closest(".field")?.querySelector<HTMLInputElement>(PARTIAL_DATE);
              if (date) date.value = "";
              onChange(undefined);
            }}
          />
        )}
      </>
    ),
  };
  if (control === "tags") {
    return (
      <TagsField
        {...field}
        name={label}
        tags={(input && parseTags(input.text)) ?? []}
        options={spec.options.map(formatValue)}
        required={spec.required}
        readOnly={readOnly}
        onChange={(tags) => onChange(toTagsInput(tags, spec.required))}
      />
    );
  }
  const { element, frame } = controls[control]({ spec, input, onChange, readOnly, canUnset });
  return (
    <Field {...field} {...(frame && { frame })}>
      {element}
    </Field>
  );
}

const PARTIAL_DATE = "input:is([type=date], [type=datetime-local])";

/** Controls that can't be emptied by typing. */
const clearable = new Set(["switch", "date", "date-time"]);

interface ControlProps {
  readonly spec: FieldSpec;
  readonly input: FieldInput;
  readonly onChange: (input: FieldInput) => void;
  readonly readOnly: boolean;
  /** Whether the field can be without a value. */
  readonly canUnset: boolean;
}

/** `frame` has the control's element in it, with what belongs to it. */
interface Control {
  readonly element: ReactElement;
  readonly frame?: (element: ReactElement) => ReactNode;
}

const controls: Readonly<Record<Exclude<ControlKind, "tags">, (props: ControlProps) => Control>> = {
  text: ({ spec, input, onChange, readOnly }) => {
    return {
      element: typedInputControl(
        { type: "text", text: input?.text ?? "" },
        (text) => onChange(text === "" ? undefined : { type: "text", text }),
        {
          placeholder: placeholderOf(spec, input),
          readOnly,
          multiline: isLong(spec, input),
          required: spec.required,
        },
      ),
    };
  },
  number: ({ spec, input, onChange, readOnly }) => ({
    element: typedInputControl(
      { type: "number", text: input?.text ?? "" },
      (text) => onChange(text.trim() === "" ? undefined : { type: "number", text }),
      { placeholder: placeholderOf(spec, input), readOnly, required: spec.required },
    ),
  }),
  switch: ({ input, onChange, readOnly }) => ({
    element: (
      <Switch
        disabled={readOnly}
        checked={input?.text === "true"}
        onSwitch={(checked) => onChange({ type: "boolean", text: String(checked) })}
      />
    ),
    frame: (element) => (
      <span className="switch-line">
        {element}
        <span className={input?.type === "boolean" ? "" : "none"}>{describeSwitch(input)}</span>
      </span>
    ),
  }),
  select: ({ spec, input, onChange, readOnly, canUnset }) => {
    const current = input && toOptionText(fromInput(input));
    const options = spec.options.map(toOptionText);
    const isForeign = current !== undefined && !options.includes(current);
    return {
      element: (
        <select
          disabled={readOnly}
          required={spec.required}
          value={current ?? ""}
          onChange={({ target }) => onChange(fromOptionText(target.value))}
        >
          {(current === undefined || canUnset) && (
            <option value="">{placeholderOf(spec, input) || texts.choose}</option>
          )}
          {isForeign && <option value={current}>{texts.notAllowed(formatOption(current))}</option>}
          {options.map((option) => (
            <option key={option} value={option}>
              {formatOption(option)}
            </option>
          ))}
        </select>
      ),
    };
  },
  date: ({ input, ...props }) => ({
    element: (
      <input
        {...dateAttributes({ input, ...props }, readDate)}
        type="date"
        max="9999-12-31"
        value={input?.text ?? ""}
      />
    ),
  }),
  "date-time": ({ input, ...props }) => ({
    element: (
      <input
        {...dateAttributes({ input, ...props }, (target) => readDate(target, fromLocalTime))}
        type="datetime-local"
        max="9999-12-31T23:59:59"
        step={1}
        value={input?.type === "text" && !input.isPartial ? toLocalTime(input.text) : ""}
      />
    ),
  }),
  any: ({ spec, input, onChange, readOnly }) => ({
    element:
      input?.type === "null" ? (
        <input readOnly value="" placeholder={texts.null} />
      ) : (
        typedInputControl(
          input ?? { type: anyType(spec.types), text: "" },
          (text) => onChange(toAnyInput(spec, input, text)),
          {
            placeholder: placeholderOf(spec, input),
            readOnly,
            multiline: isLong(spec, input),
            required: spec.required,
          },
        )
      ),
  }),
};

function dateAttributes(
  { spec, input, onChange, readOnly }: ControlProps,
  read: (target: HTMLInputElement) => FieldInput,
) {
  return {
    className: input ? "" : "unset",
    readOnly,
    required: spec.required,
    onChange: ({ currentTarget }: SyntheticEvent<HTMLInputElement>) => onChange(read(currentTarget)),
    // The first parts of a date that is typed change no value.
    onKeyUp: ({ currentTarget }: SyntheticEvent<HTMLInputElement>) => {
      if (currentTarget.validity.badInput !== (input?.isPartial ?? false)) onChange(read(currentTarget));
    },
  };
}

const LONG_CHARACTERS = 500;

/** Whether a text gets several lines: an input of one line would drop line breaks. */
function isLong({ keywords: { maxLength } }: FieldSpec, input: FieldInput): boolean {
  return (
    (typeof maxLength === "number" && maxLength >= LONG_CHARACTERS) || input?.text.includes("\n") === true
  );
}

/** Emptied text removes the field, as in the other controls. */
function toAnyInput({ types }: FieldSpec, input: FieldInput, text: string): FieldInput {
  const type = input?.type ?? anyType(types);
  return text === "" && type === "text" ? undefined : { type, text };
}

const firstTypes: Partial<Record<ControlKind, ValueType>> = {
  number: "number",
  switch: "boolean",
  tags: "json",
};

/** The type that is chosen at first. */
const anyType = (types: readonly string[]): ValueType =>
  types.length > 0 && types.every((type) => type === "object" || type === "array") ? "json" : "text";

function retype(input: FieldInput, type: ValueType): FieldInput {
  return { type, text: input?.text ?? "" };
}

/** The value of an input, or its text while that is not valid. */
function fromInput(input: NonNullable<FieldInput>): Json {
  const { value, error } = parseTypedInput(input);
  return error === undefined ? value : input.text;
}

function formatOption(option: string): string {
  const { type, text } = fromOptionText(option) ?? toTypedInput(null);
  if (type === "boolean") return text === "true" ? texts.yes : texts.no;
  return type === "null" ? texts.null : text;
}

/** What an empty control says: nothing if the field is required, as its label says so. */
function placeholderOf({ required }: FieldSpec, input: FieldInput): string {
  if (input?.type === "null") return texts.null;
  return required ? "" : texts.notSet;
}

function describeSwitch(input: FieldInput): string {
  if (input?.type !== "boolean") return input ? texts.null : texts.notSet;
  return input.text === "true" ? texts.yes : texts.no;
}

/** The description, the limits and, for a new user, the default of a field. Undefined if there are none. */
function describeField(spec: FieldSpec, isNew: boolean): string | undefined {
  const { description, default: value, control } = spec;
  const hasDefault = isNew && value !== undefined && !showsDefault(control);
  const parts = [
    description,
    describeLimits(spec),
    hasDefault ? texts.byDefault(formatValue(value)) : undefined,
  ].filter((part) => part !== undefined);
  return parts.length > 0 ? parts.join(" ") : undefined;
}
