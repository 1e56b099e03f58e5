import { type ReactNode, useState } from "react";
import { Field } from "./field.tsx";
import { FormModal } from "./form-modal.tsx";
import { useFieldErrors } from "./use-field-errors.ts";

interface ConfirmTypedProps {
  readonly title: string;
  readonly lead?: string;
  /** Above the field. */
  readonly intro?: ReactNode;
  /** The text that the person has to type. Undefined: a click is enough. */
  readonly expected: string | undefined;
  /** The label of its field. */
  readonly label: string;
  /** The error of another text. */
  readonly mismatch: string;
  readonly inputMode?: "numeric" | "text";
  readonly action: string;
  readonly busy?: boolean;
  /** The error of the request. */
  readonly error?: unknown;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/** Asks before something is deleted for good: the person has to type a number or a name. */
export function ConfirmTyped(props: ConfirmTypedProps) {
  const { expected, label, mismatch, inputMode = "text", action, busy = false, onConfirm, onClose } = props;
  const [typed, setTyped] = useState("");
  const { form, errorFor, ...errors } = useFieldErrors(null, false);
  const submit = () => {
    const isExpected = expected === undefined || typed.trim() === expected;
    errors.submit(isExpected ? {} : { typed: mismatch });
    if (isExpected && !busy) onConfirm();
  };
  return (
    <FormModal
      title={props.title}
      lead={props.lead}
      intro={props.intro}
      submitLabel={action}
      danger
      form={form}
      busy={busy}
      error={props.error}
      onSubmit={submit}
      onClose={onClose}
    >
      {expected !== undefined && (
        <Field label={label} error={errorFor("typed")}>
          <input
            dir="auto"
            inputMode={inputMode}
            autoCapitalize="none"
            spellCheck={false}
            value={typed}
            onChange={({ target }) => {
              setTyped(target.value);
              errors.edit("typed");
            }}
          />
        </Field>
      )}
    </FormModal>
  );
}
