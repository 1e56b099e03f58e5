import { useState } from "react";
import type { CreatedKey, Key } from "../../client/index.ts";
import type { CurrentSession } from "../lib/session.ts";
import { CreateKey, type SuggestedKey } from "./create-key.tsx";
import { SecretModal } from "./secret-modal.tsx";

interface NewKeyProps {
  readonly session: CurrentSession;
  readonly suggested?: SuggestedKey;
  /** The person has saved the secret of the new key. */
  readonly onSaved: (created: Key) => void;
  readonly onClose: () => void;
}

/** Creates a key, and then shows its secret once. The secret is stored only here, while the dialog shows it. */
export function NewKey({ session, suggested, onSaved, onClose }: NewKeyProps) {
  const [created, setCreated] = useState<CreatedKey>();
  if (!created) {
    return <CreateKey session={session} suggested={suggested} onCreated={setCreated} onClose={onClose} />;
  }
  const { key: secret, ...saved } = created;
  return (
    <SecretModal
      name={saved.name}
      secret={secret}
      signInReason={session.auth === "open" ? "firstKey" : undefined}
      onSaved={() => onSaved(saved)}
    />
  );
}
