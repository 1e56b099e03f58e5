import { type FormEvent, type ReactNode, useId, useState } from "react";
import { purgeUser as texts } from "../texts/deleted.ts";
import { shell } from "../texts/index.ts";
import { Button } from "../ui/button.tsx";
import { Field } from "../ui/field.tsx";
import { Modal } from "../ui/modal.tsx";

interface ConfirmPurgeProps {
  readonly title: string;
  readonly warning: string;
  /** The text that the person has to type, and the label of its field. */
  readonly expected: string;
  readonly label: string;
  readonly action: string;
  readonly busy?: boolean;
  /** Below the field. */
  readonly children?: ReactNode;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/** Asks before users are erased for good: the person has to type a number. */
export function ConfirmPurge(props: ConfirmPurgeProps) {
  const { title, warning, expected, label, action, busy = false, children, onConfirm, onClose } = props;
  const [typed, setTyped] = useState("");
  const [error, setError] = useState<string>();
  const form = useId();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (typed.trim() !== expected) setError(texts.mismatch(expected));
    else if (!busy) onConfirm();
  };
  return (
    <Modal
      open
      onClose={onClose}
      title={title}
      actions={
        <>
          <Button disabled={busy} onClick={onClose}>
            {shell.cancel}
          </Button>
          <Button kind="danger" type="submit" form={form} busy={busy}>
            {action}
          </Button>
        </>
      }
    >
      <p className="failure">{warning}</p>
      <p className="hint">{texts.backups}</p>
      <form id={form} className="form" noValidate autoComplete="off" onSubmit={submit}>
        <Field label={label} error={error}>
          <input
            inputMode="numeric"
            value={typed}
            onChange={({ target }) => {
              setTyped(target.value);
              setError(undefined);
            }}
          />
        </Field>
        {children}
      </form>
    </Modal>
  );
}
