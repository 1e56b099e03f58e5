import { useState } from "react";
import { createSession, isStillSignedIn } from "../lib/session.ts";
import { secret as texts } from "../texts/index.ts";
import { Button } from "../ui/button.tsx";
import { SecretDialog } from "../ui/secret-dialog.tsx";
import { showErrorToast } from "../ui/toasts.tsx";
import { reloadKeys } from "./queries.ts";

/** Why the person has to sign in with the new key: it is the first one, or it replaces the current one. */
type SignInReason = "firstKey" | "replaced";

interface SecretModalProps {
  readonly name: string;
  readonly secret: string;
  readonly signInReason: SignInReason | undefined;
  /** The person has saved the secret: drop it. */
  readonly onSaved: () => void;
}

/** Shows a new key's secret once. */
export function SecretModal({ name, secret, signInReason, onSaved }: SecretModalProps) {
  const [busy, setBusy] = useState(false);

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
    <SecretDialog
      title={texts.title(name)}
      lead={texts.lead}
      secret={secret}
      copyLabel={texts.copy}
      ask={texts.ask}
      onClose={() => void close(false)}
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
      {signInReason && <p className="hint">{texts[signInReason]}</p>}
    </SecretDialog>
  );
}
