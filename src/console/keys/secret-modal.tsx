import { useState } from "react";
import { createSession, isStillSignedIn } from "../lib/session.ts";
import { useUnsavedChanges } from "../lib/unsaved-changes.ts";
import { secret as texts } from "../texts/index.ts";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { Confirm, Modal } from "../ui/modal.tsx";
import { showErrorToast } from "../ui/toasts.tsx";
import { reloadKeys } from "./queries.ts";

interface SecretModalProps {
  readonly name: string;
  readonly secret: string;
  /** Why the console needs it too, if it does: it closed the service, or ends the key that one is signed in with. */
  readonly signInReason: "closed" | "own" | undefined;
  /** The secret is to be forgotten now. */
  readonly onSaved: () => void;
}

/** A secret, this once. */
export function SecretModal({ name, secret, signInReason, onSaved }: SecretModalProps) {
  const [asking, setAsking] = useState(false);
  const [busy, setBusy] = useState(false);
  // What is shown would be lost.
  useUnsavedChanges(true, () => setAsking(true));

  const close = async (signIn: boolean) => {
    setBusy(true);
    try {
      if (signIn) await createSession(secret);
      onSaved();
      if (signInReason === undefined || (await isStillSignedIn())) await reloadKeys();
    } catch (error) {
      showErrorToast(error);
      setBusy(false);
    }
  };
  return (
    <Modal
      open
      onClose={() => setAsking(true)}
      title={texts.title(name)}
      lead={texts.lead}
      actions={
        <>
          <Button kind={signInReason ? "plain" : "primary"} disabled={busy} onClick={() => void close(false)}>
            {texts.kept}
          </Button>
          {signInReason && (
            <Button kind="primary" busy={busy} onClick={() => void close(true)}>
              {texts.signIn}
            </Button>
          )}
        </>
      }
    >
      <div className="snippet secret">
        <code>{secret}</code>
        <CopyButton text={secret} label={texts.copy} />
      </div>
      {signInReason && <p className="hint">{texts[signInReason]}</p>}
      <Confirm
        open={asking}
        onClose={() => setAsking(false)}
        title={texts.ask.title}
        text={texts.ask.text}
        confirmLabel={texts.ask.action}
        cancelLabel={texts.ask.stay}
        onConfirm={() => void close(false)}
      />
    </Modal>
  );
}
