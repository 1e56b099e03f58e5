import { Observable, useObservable } from "./observable.ts";

// Whether somebody is to sign in over what they are doing. Those who notice are many; one dialog listens.

/** The session that was there has ended, or another key is wanted. */
export type SignInReason = "ended" | "change";

const asking = new Observable<SignInReason | undefined>(undefined);

export function promptAfterSessionEnd(): void {
  asking.set("ended");
}

/** Asks for another key, such as one that may do more. The session goes on until there is a new one. */
export function promptForAnotherKey(): void {
  asking.set("change");
}

export function closeSignInPrompt(): void {
  asking.set(undefined);
}

export function useSignInPrompt(): SignInReason | undefined {
  return useObservable(asking);
}
