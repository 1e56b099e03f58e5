import type { ComponentProps } from "react";

interface SwitchProps extends ComponentProps<"input"> {
  readonly checked: boolean;
  readonly onSwitch: (checked: boolean) => void;
}

/** On or off. It takes effect like any input: when the form is saved. */
export function Switch({ checked, onSwitch, onChange, className = "", ...rest }: SwitchProps) {
  return (
    <input
      {...rest}
      type="checkbox"
      role="switch"
      className={`switch ${className}`}
      checked={checked}
      aria-checked={checked}
      onChange={(event) => {
        onChange?.(event);
        onSwitch(event.target.checked);
      }}
    />
  );
}
