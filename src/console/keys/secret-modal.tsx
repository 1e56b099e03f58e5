import { useState } from "react";
import { createSession, isStillSignedIn } from "../lib/session.ts";
import { useUnsavedChanges } from "../lib/unsaved-changes.ts";
import { secret as texts } from "../texts/index.ts";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { Confirm, Modal } from "../ui/modal.tsx";
import { showErrorToast } from "../ui/toasts.tsx";
import { reloadKeys } from "./queries.ts";

/** Why the person has to sign in with the new key: it is the first one, or it replaces the current one. */
export type SignInReason = "firstKey" | "replaced";

interface SecretModalProps {
  readonly name: string;
  readonly secret: string;
  readonly signInReason: SignInReason | undefined;
  /** The person has saved the secret: drop it. */
  readonly onSaved: () => void;
}

/** Shows a new key's secret once. */
export function SecretModal({ name, secret, signInReason, onSaved }: SecretModalProps) {
  const [asking, setAsking] = useState(false);
  const [busy, setBusy] = useState(false);
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
            {texts.saved}
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
