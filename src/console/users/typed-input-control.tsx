import type { AriaAttributes, KeyboardEvent, ReactElement } from "react";
import { values as texts } from "../texts/index.ts";
import type { TypedInput } from "./typed-input.ts";

interface ControlOptions extends AriaAttributes {
  readonly className?: string;
  readonly placeholder?: string;
  readonly readOnly?: boolean;
  readonly required?: boolean;
  /** Whether text can have several lines. "rarely": Enter submits the form, and Shift+Enter begins the second line. */
  readonly multiline?: boolean | "rarely";
}

/** The form control for a typed input. A function, not a component: `Field` needs the element itself to label it. */
export function typedInputControl(
  { type, text }: TypedInput,
  onType: (text: string) => void,
  { placeholder, readOnly = false, multiline = false, ...attributes }: ControlOptions = {},
): ReactElement {
  const common = {
    ...attributes,
    ...(type === "text" && { dir: "auto" }),
    onChange: ({ target }: { readonly target: { readonly value: string } }) => onType(target.value),
  };
  if (type === "boolean") {
    return (
      <select {...common} disabled={readOnly} value={text === "true" ? "true" : "false"}>
        <option value="true">{texts.yes}</option>
        <option value="false">{texts.no}</option>
      </select>
    );
  }
  if (type === "json" || (type === "text" && multiline)) {
    const rows = Math.min(10, text.split("\n").length);
    return (
      <textarea
        {...common}
        placeholder={placeholder}
        rows={rows}
        spellCheck={false}
        readOnly={readOnly}
        value={text}
        {...(type === "text" && multiline === "rarely" && rows === 1 && { onKeyDown: submitOnEnter })}
      />
    );
  }
  const numeric = type === "number" ? ({ inputMode: "decimal" } as const) : {};
  return (
    <input
      {...common}
      {...numeric}
      autoComplete="off"
      placeholder={placeholder}
      readOnly={readOnly}
      value={text}
    />
  );
}

function submitOnEnter(event: KeyboardEvent<HTMLTextAreaElement>): void {
  const { key, shiftKey, ctrlKey, metaKey, nativeEvent, currentTarget } = event;
  if (key !== "Enter" || shiftKey || ctrlKey || metaKey || nativeEvent.isComposing) return;
  event.preventDefault();
  currentTarget.form?.requestSubmit();
}
