import { type ReactNode, useState } from "react";
import { useUnsavedChanges } from "../lib/unsaved-changes.ts";
import { CopyButton } from "./copy-button.tsx";
import { Confirm, Modal } from "./modal.tsx";

interface SecretDialogProps {
  readonly title: string;
  readonly lead: string;
  readonly secret: string;
  readonly copyLabel: string;
  /** The question before the dialog closes without a button. */
  readonly ask: {
    readonly title: string;
    readonly text: string;
    readonly action: string;
    readonly stay: string;
  };
  readonly actions: ReactNode;
  readonly children?: ReactNode;
  readonly onClose: () => void;
}

/** Shows a secret that is not shown again. */
export function SecretDialog(props: SecretDialogProps) {
  const { title, lead, secret, copyLabel, ask, actions, children, onClose } = props;
  const [asking, setAsking] = useState(false);
  useUnsavedChanges(true, () => setAsking(true));
  return (
    <Modal open onClose={() => setAsking(true)} title={title} lead={lead} actions={actions}>
      <div className="snippet secret">
        <code>{secret}</code>
        <CopyButton text={secret} label={copyLabel} />
      </div>
      {children}
      <Confirm
        open={asking}
        onClose={() => setAsking(false)}
        title={ask.title}
        text={ask.text}
        confirmLabel={ask.action}
        cancelLabel={ask.stay}
        onConfirm={onClose}
      />
    </Modal>
  );
}
