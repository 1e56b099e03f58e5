import { useState } from "react";
import { isStillHere, signInWith } from "../lib/session.ts";
import { useUnsaved } from "../lib/unsaved-changes.ts";
import { secret as texts } from "../texts/index.ts";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { Confirm, Modal } from "../ui/modal.tsx";
import { tellFailure } from "../ui/toasts.tsx";
import { reloadKeys } from "./queries.ts";

interface SecretModalProps {
  readonly name: string;
  readonly secret: string;
  /** Why the console needs it too, if it does: it closed the service, or ends the key that one is signed in with. */
  readonly needed: "closed" | "own" | undefined;
  /** The secret is to be forgotten now. */
  readonly onKept: () => void;
}

/** A secret, this once. */
export function SecretModal({ name, secret, needed, onKept }: SecretModalProps) {
  const [asking, setAsking] = useState(false);
  const [busy, setBusy] = useState(false);
  // What is shown would be lost.
  useUnsaved(true, () => setAsking(true));

  const close = async (signIn: boolean) => {
    setBusy(true);
    try {
      if (signIn) await signInWith(secret);
      onKept();
      if (needed === undefined || (await isStillHere())) await reloadKeys();
    } catch (error) {
      tellFailure(error);
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
          <Button kind={needed ? "plain" : "primary"} disabled={busy} onClick={() => void close(false)}>
            {texts.kept}
          </Button>
          {needed && (
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
      {needed && <p className="hint">{texts[needed]}</p>}
      <Confirm
        open={asking}
        onClose={() => setAsking(false)}
        title={texts.ask.title}
        text={texts.ask.text}
        action={texts.ask.action}
        stay={texts.ask.stay}
        onConfirm={() => void close(false)}
      />
    </Modal>
  );
}
