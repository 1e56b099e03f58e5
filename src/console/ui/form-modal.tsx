import { type FormEvent, type ReactNode, type Ref, useId } from "react";
import { useUnsavedChanges } from "../lib/unsaved-changes.ts";
import { shell } from "../texts/index.ts";
import { Button } from "./button.tsx";
import { Modal } from "./modal.tsx";
import { RequestError } from "./request-error.tsx";

interface FormModalProps {
  readonly title: ReactNode;
  readonly lead?: ReactNode;
  readonly wide?: boolean;
  /** Above the form. */
  readonly intro?: ReactNode;
  /** The fields. */
  readonly children?: ReactNode;
  readonly form?: Ref<HTMLFormElement>;
  readonly submitLabel: string;
  /** Whether the form does something that can't be undone. */
  readonly danger?: boolean;
  /** Whether the request of the form runs. */
  readonly busy: boolean;
  /** Whether the response has a secret. Closing the dialog before the response would lose it. */
  readonly awaitsSecret?: boolean;
  /** The error of the request. */
  readonly error?: unknown;
  /** The fields that show their errors themselves. */
  readonly errorFields?: readonly string[];
  readonly onSubmit: () => void;
  readonly onClose: () => void;
}

/** A dialog with a form. */
export function FormModal(props: FormModalProps) {
  const { title, lead, wide = false, intro, children, form, error = null, errorFields = [] } = props;
  const { submitLabel, danger = false, busy, awaitsSecret = false, onSubmit, onClose } = props;
  const id = useId();
  const isLocked = awaitsSecret && busy;
  useUnsavedChanges(isLocked, () => undefined);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <Modal
      open
      wide={wide}
      dismissible={!isLocked}
      onClose={onClose}
      title={title}
      lead={lead}
      actions={
        <>
          <Button disabled={busy} onClick={onClose}>
            {shell.cancel}
          </Button>
          <Button kind={danger ? "danger" : "primary"} type="submit" form={id} busy={busy}>
            {submitLabel}
          </Button>
        </>
      }
    >
      {intro}
      <form id={id} ref={form} className="form" noValidate autoComplete="off" onSubmit={submit}>
        {children}
        <RequestError error={error} fields={errorFields} />
      </form>
    </Modal>
  );
}
