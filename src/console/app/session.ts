import { useSyncExternalStore } from "react";

// Whether a session that was there has ended. Those who notice are many; one dialog listens.

let ended = false;
const listeners = new Set<() => void>();

export function endSession(): void {
  change(true);
}

export function resumeSession(): void {
  change(false);
}

export function useSessionEnded(): boolean {
  return useSyncExternalStore(subscribe, () => ended);
}

function change(to: boolean): void {
  ended = to;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
