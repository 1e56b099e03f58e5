import { useState } from "react";
import { useSignInPrompt } from "../../lib/sign-in-prompt.ts";
import { discardUnsavedChanges, useUnsavedChanges } from "../../lib/unsaved-changes.ts";
import { user as texts } from "../../texts/index.ts";
import { Confirm } from "../../ui/modal.tsx";

/** Asks before unsaved changes are lost. */
export function useLeaveGuard(isUnsaved: boolean) {
  const [target, setTarget] = useState<() => void>();
  const isSigningIn = useSignInPrompt() !== undefined;
  const ask = (leave: () => void) => {
    // Ignore keys and clicks meant for the sign-in dialog above.
    if (!isSigningIn) setTarget(() => leave);
  };
  // The question restores the address: going back again leads to the entry that the person chose.
  useUnsavedChanges(isUnsaved, () => ask(() => history.back()), ask);
  return {
    isSigningIn,
    target,
    stay: () => setTarget(undefined),
    /** Leaves without a question. */
    leave(how: () => void) {
      discardUnsavedChanges();
      setTarget(undefined);
      how();
    },
  };
}

type LeaveGuard = ReturnType<typeof useLeaveGuard>;

/** The question whether to discard unsaved changes. */
export function ConfirmLeave({ guard: { target, stay, leave } }: { readonly guard: LeaveGuard }) {
  return (
    <Confirm
      open={target !== undefined}
      onClose={stay}
      title={texts.unsaved.title}
      text={texts.unsaved.text}
      confirmLabel={texts.unsaved.action}
      cancelLabel={texts.unsaved.stay}
      onConfirm={() => target && leave(target)}
    />
  );
}
