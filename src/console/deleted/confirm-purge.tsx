import { useState } from "react";
import { purgeUser as texts } from "../texts/deleted.ts";
import { Field } from "../ui/field.tsx";
import { FormModal } from "../ui/form-modal.tsx";
import { useFieldErrors } from "../ui/use-field-errors.ts";

interface ConfirmPurgeProps {
  readonly title: string;
  readonly warning: string;
  /** The text that the person has to type, and the label of its field. */
  readonly expected: string;
  readonly label: string;
  readonly action: string;
  readonly busy?: boolean;
  /** The error of the request. */
  readonly error?: unknown;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/** Asks before users are erased for good: the person has to type a number. */
export function ConfirmPurge(props: ConfirmPurgeProps) {
  const { title, warning, expected, label, action, busy = false, onConfirm, onClose } = props;
  const [typed, setTyped] = useState("");
  const { form, errorFor, ...errors } = useFieldErrors(null, false);
  const submit = () => {
    const isExpected = typed.trim() === expected;
    errors.submit(isExpected ? {} : { typed: texts.mismatch(expected) });
    if (isExpected && !busy) onConfirm();
  };
  return (
    <FormModal
      title={title}
      intro={
        <>
          <p className="failure">{warning}</p>
          <p className="hint">{texts.backups}</p>
        </>
      }
      submitLabel={action}
      danger
      form={form}
      busy={busy}
      error={props.error}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field label={label} error={errorFor("typed")}>
        <input
          inputMode="numeric"
          value={typed}
          onChange={({ target }) => {
            setTyped(target.value);
            errors.edit("typed");
          }}
        />
      </Field>
    </FormModal>
  );
}
