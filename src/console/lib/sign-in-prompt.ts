import { Observable, useObservable } from "./observable.ts";

// Any part of the console can ask the person to sign in. One dialog shows the prompt.

/** The session has ended, or the person wants to use another key. */
export type PromptReason = "ended" | "change";

const promptReason = new Observable<PromptReason | undefined>(undefined);

export function promptAfterSessionEnd(): void {
  promptReason.set("ended");
}

/** Asks for another key, for example one with more scopes. The old session stays until the new one exists. */
export function promptForAnotherKey(): void {
  promptReason.set("change");
}

export function closeSignInPrompt(): void {
  promptReason.set(undefined);
}

export function useSignInPrompt(): PromptReason | undefined {
  return useObservable(promptReason);
}
