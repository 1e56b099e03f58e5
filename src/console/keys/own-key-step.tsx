import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { Scope } from "../../client/index.ts";
import { RejectedKeyError } from "../lib/api.ts";
import { readSessionOf } from "../lib/session.ts";
import { ownKey as texts } from "../texts/index.ts";
import { FormModal } from "../ui/form-modal.tsx";
import { OwnKeyField } from "./own-key-field.tsx";

/** A key of the person that the service has accepted. */
export interface OwnKey {
  /** Undefined if the service requires no key. */
  readonly secret: string | undefined;
  readonly scopes: readonly Scope[];
}

interface OwnKeyStepProps {
  readonly title: string;
  /** Why the service has rejected the key after this step. */
  readonly rejected: RejectedKeyError | undefined;
  readonly onVerified: (own: OwnKey) => void;
  readonly onClose: () => void;
}

/** Asks for the person's own key, and asks the service at once whether the key can create others. */
export function OwnKeyStep({ title, rejected, onVerified, onClose }: OwnKeyStepProps) {
  const [entered, setEntered] = useState("");
  const verify = useMutation({
    // The key is neither an argument nor a result: the cache would keep it.
    mutationFn: async () => {
      const { scopes } = await readSessionOf(entered.trim());
      if (!scopes.includes("keys:manage")) throw new RejectedKeyError(texts.cannotManage);
      return scopes;
    },
    gcTime: 0,
    onSuccess: (scopes) => onVerified({ secret: entered.trim(), scopes }),
  });
  return (
    <FormModal
      title={title}
      lead={texts.lead}
      submitLabel={texts.submit}
      busy={verify.isPending}
      error={verify.error}
      onSubmit={() => !verify.isPending && verify.mutate()}
      onClose={onClose}
    >
      <OwnKeyField
        value={entered}
        error={verify.error ?? rejected}
        hint={texts.stepHint}
        onChange={setEntered}
      />
    </FormModal>
  );
}
