import { useSyncExternalStore } from "react";

// Whether somebody is to sign in over what they are doing. Those who notice are many; one dialog listens.

/** The session that was there has ended, or another key is wanted. */
export type Asking = "ended" | "change";

let asking: Asking | undefined;
const listeners = new Set<() => void>();

export function endSession(): void {
  change("ended");
}

/** Asks for another key, such as one that may do more. The session goes on until there is a new one. */
export function changeKey(): void {
  change("change");
}

export function resumeSession(): void {
  change(undefined);
}

export function useAskedToSignIn(): Asking | undefined {
  return useSyncExternalStore(subscribe, () => asking);
}

function change(to: Asking | undefined): void {
  asking = to;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
