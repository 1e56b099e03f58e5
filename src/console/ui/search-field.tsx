import { type KeyboardEventHandler, type ReactNode, type RefObject, useRef } from "react";
import { Button } from "./button.tsx";
import { Search, X } from "./icons.ts";

interface SearchFieldProps {
  readonly label: string;
  readonly clearLabel: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly onKeyDown?: KeyboardEventHandler;
  readonly maxLength?: number;
  readonly title?: string;
  /** Shown at the end of the field while it is empty. */
  readonly hint?: ReactNode;
  readonly input?: RefObject<HTMLInputElement | null>;
}

export function SearchField(props: SearchFieldProps) {
  const { label, clearLabel, value, onChange, hint, input, ...rest } = props;
  const defaultRef = useRef<HTMLInputElement>(null);
  const field = input ?? defaultRef;
  const clear = () => {
    onChange("");
    field.current?.focus();
  };
  return (
    <search className="search">
      <Search aria-hidden />
      <input
        {...rest}
        ref={field}
        type="search"
        className="input"
        aria-label={label}
        placeholder={label}
        autoComplete="off"
        spellCheck={false}
        value={value}
        onChange={({ target }) => onChange(target.value)}
      />
      {value === "" ? (
        hint
      ) : (
        <Button kind="quiet" icon={<X aria-hidden />} aria-label={clearLabel} onClick={clear} />
      )}
    </search>
  );
}
