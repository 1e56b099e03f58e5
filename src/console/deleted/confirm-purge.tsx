import { useState } from "react";
import { purgeUser as texts } from "../texts/deleted.ts";
import { Field } from "../ui/field.tsx";
import { FormModal } from "../ui/form-modal.tsx";

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
  const [mismatch, setMismatch] = useState<string>();
  const submit = () => {
    if (typed.trim() !== expected) setMismatch(texts.mismatch(expected));
    else if (!busy) onConfirm();
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
      busy={busy}
      error={props.error}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field label={label} error={mismatch}>
        <input
          inputMode="numeric"
          value={typed}
          onChange={({ target }) => {
            setTyped(target.value);
            setMismatch(undefined);
          }}
        />
      </Field>
    </FormModal>
  );
}
