import type { AriaAttributes, ReactElement } from "react";
import { values as texts } from "../texts/index.ts";
import type { TypedInput } from "./typed-input.ts";

interface ControlOptions extends AriaAttributes {
  readonly className?: string;
  readonly readOnly?: boolean;
  /** Whether a text can have several lines, where Enter begins a new one. */
  readonly lines?: boolean;
}

/** What a value of this type is typed into. An element and no component: a field labels what it is given. */
export function typedInputControl(
  { type, text }: TypedInput,
  onType: (text: string) => void,
  { readOnly = false, lines = false, ...attributes }: ControlOptions = {},
): ReactElement {
  const common = {
    ...attributes,
    onChange: ({ target }: { readonly target: { readonly value: string } }) => onType(target.value),
  };
  if (type === "flag") {
    return (
      <select {...common} disabled={readOnly} value={text === "true" ? "true" : "false"}>
        <option value="true">{texts.yes}</option>
        <option value="false">{texts.no}</option>
      </select>
    );
  }
  if (type === "json" || (type === "text" && lines)) {
    const rows = Math.min(10, text.split("\n").length);
    return <textarea {...common} rows={rows} spellCheck={false} readOnly={readOnly} value={text} />;
  }
  const numeric = type === "number" ? ({ inputMode: "decimal" } as const) : {};
  return <input {...common} {...numeric} autoComplete="off" readOnly={readOnly} value={text} />;
}
