import { useMutation } from "@tanstack/react-query";
import { type ComponentProps, useState } from "react";
import type { Scope } from "../../client/index.ts";
import { RejectedKeyError } from "../lib/api.ts";
import { readSessionOf } from "../lib/session.ts";
import { ownKey as texts } from "../texts/index.ts";
import type { FormModal } from "../ui/form-modal.tsx";
import { OwnKeyField } from "./own-key-field.tsx";

/** A key of the person that the service has accepted. */
export interface OwnKey {
  /** Undefined if the service requires no key. */
  readonly secret: string | undefined;
  readonly scopes: readonly Scope[];
}

/** What a step shows in the dialog. One dialog for all steps keeps the focus. */
export type Step = Omit<ComponentProps<typeof FormModal>, "title" | "onClose">;

/** Asks for the person's own key, and asks the service at once whether the key can create others. */
export function useOwnKeyStep(
  /** Why the service has rejected the key after this step. */
  rejected: RejectedKeyError | undefined,
  onVerified: (own: OwnKey) => void,
): Step {
  const [entered, setEntered] = useState("");
  const verify = useMutation({
    // The key is neither an argument nor a result: the cache would keep it.
    mutationFn: async () => {
      const { scopes } = await readSessionOf(entered.trim());
      if (!scopes.includes("keys:manage")) throw new RejectedKeyError(texts.cannotManage);
      return scopes;
    },
    gcTime: 0,
    onSuccess: (scopes) => {
      onVerified({ secret: entered.trim(), scopes });
      setEntered("");
    },
  });
  return {
    lead: texts.lead,
    submitLabel: texts.submit,
    busy: verify.isPending,
    error: verify.error,
    onSubmit: () => !verify.isPending && verify.mutate(),
    children: (
      <OwnKeyField
        input={focusOnMount}
        value={entered}
        error={verify.error ?? rejected}
        hint={texts.stepHint}
        onChange={setEntered}
      />
    ),
  };
}

/** A ref callback, because the dialog renders its content after the effects of its component ran. */
export function focusOnMount(field: HTMLElement | null): void {
  field?.focus();
}
