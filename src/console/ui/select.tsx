import type { ComponentProps } from "react";

interface SelectProps<Value extends string> extends ComponentProps<"select"> {
  readonly value: Value;
  readonly options: readonly Value[];
  readonly getLabel: (option: Value) => string;
  readonly onChoose: (chosen: Value) => void;
}

/** A native select with typed options. */
export function Select<Value extends string>(props: SelectProps<Value>) {
  const { options, getLabel, onChoose, onChange, ...rest } = props;
  return (
    <select
      {...rest}
      onChange={(event) => {
        onChange?.(event);
        const chosen = options.find((option) => option === event.target.value);
        if (chosen !== undefined) onChoose(chosen);
      }}
    >
      {options.map((option) => (
        <option key={option} value={option}>
          {getLabel(option)}
        </option>
      ))}
    </select>
  );
}

/** Suggestions for an input whose `list` is this id. */
export function Suggestions({ id, values }: { readonly id: string; readonly values: readonly string[] }) {
  return (
    <datalist id={id}>
      {values.map((value) => (
        <option key={value} value={value} />
      ))}
    </datalist>
  );
}
