import { Field as Base } from "@base-ui/react/field";
import type { ReactElement, ReactNode } from "react";

interface FieldProps {
  readonly label: ReactNode;
  /** Shows the label to screen readers only. */
  readonly hideLabel?: boolean;
  readonly hint?: ReactNode;
  readonly error?: string | undefined;
  /** The control, such as `<select>` or `<textarea>`. Default: an input. */
  readonly children?: ReactElement;
  /** What the control stands in. Then the frame looks like an input, and not the control. */
  readonly frame?: (control: ReactElement) => ReactNode;
  /** Buttons beside the control. */
  readonly aside?: ReactNode;
  readonly className?: string;
}

/** A labelled control with its hint and error, linked for screen readers. */
export function Field(props: FieldProps) {
  const { label, hideLabel, hint, error, children, frame, aside, className } = props;
  const control = <Base.Control className={frame ? undefined : "input"} render={children ?? <input />} />;
  return (
    <Base.Root className={`field ${className ?? ""}`} invalid={error !== undefined}>
      <Base.Label className={hideLabel ? "hidden" : "field-label"}>{label}</Base.Label>
      {frame ? frame(control) : control}
      {aside}
      <Base.Error className="field-error" match={error !== undefined}>
        {error}
      </Base.Error>
      {hint !== undefined && <Base.Description className="hint">{hint}</Base.Description>}
    </Base.Root>
  );
}

/** Focuses the first invalid field of a form. */
export function focusFirstError(form: HTMLFormElement | null): void {
  const control = form?.querySelector<HTMLElement>("[aria-invalid=true]");
  control?.focus();
  // With its error, which is below it.
  control?.closest(".field, .custom-field")?.scrollIntoView({ block: "nearest" });
}
