import { useLocationProperty } from "wouter/use-browser-location";

/** The history state of a user in the drawer over the list. Without the state, the same address shows the page of the user. */
export const overList = { overList: true } as const;

export function isOverList(state: unknown): boolean {
  return typeof state === "object" && state !== null && "overList" in state && state.overList === true;
}

export function useIsOverList(): boolean {
  return useLocationProperty(() => isOverList(history.state));
}

/** Browsers keep the history state when a page is reloaded. A reload shows the page of the user. */
export function forgetOverList(): void {
  if (isOverList(history.state)) history.replaceState(null, "");
}
