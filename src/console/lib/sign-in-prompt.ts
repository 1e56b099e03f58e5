import { Observable, useObservable } from "./observable.ts";

// Any part of the console can ask the person to sign in. One dialog shows the prompt.

/** The session has ended, or the person wants to use another key. */
export type PromptReason = "ended" | "change";

const promptReason = new Observable<PromptReason | undefined>(undefined);
/** Whether the person has closed the prompt since the last sign-in. */
let isDismissed = false;

export function promptAfterSessionEnd(): void {
  promptReason.set("ended");
}

/** For requests that nobody asked for, such as those that follow events: they do not show a prompt again that was closed. */
export function promptUnlessDismissed(): void {
  if (!isDismissed) promptAfterSessionEnd();
}

/** Asks for another key, for example one with more scopes. The old session stays until the new one exists. */
export function promptForAnotherKey(): void {
  promptReason.set("change");
}

export function dismissSignInPrompt(): void {
  isDismissed = true;
  promptReason.set(undefined);
}

export function closeAfterSignIn(): void {
  isDismissed = false;
  promptReason.set(undefined);
}

export function useSignInPrompt(): PromptReason | undefined {
  return useObservable(promptReason);
}
