import { useEffect, useEffectEvent } from "react";
import type { NavigateOptions } from "wouter";
import { isOverList } from "./over-list.ts";

// Loaded with the page: this popstate listener has to run before the router's.

type Navigation = () => void;

interface Unsaved {
  readonly address: string;
  readonly state: unknown;
  readonly onBack: () => void;
  readonly onNavigate: ((navigation: Navigation) => void) | undefined;
}

let unsaved: Unsaved | undefined;

addEventListener("popstate", (event) => {
  if (!unsaved) return;
  // Hide the event from the router and restore the address.
  event.stopImmediatePropagation();
  history.pushState(unsaved.state, "", unsaved.address);
  unsaved.onBack();
});

/** For the router: asks before a navigation leaves a view with unsaved changes. */
export function guardNavigation(
  navigate: (to: string, options?: NavigateOptions) => void,
  to: string,
  options?: NavigateOptions<unknown>,
): void {
  const isSameView =
    new URL(to, location.href).pathname === location.pathname &&
    isOverList(options?.state) === isOverList(history.state);
  if (unsaved?.onNavigate && !isSameView) unsaved.onNavigate(() => navigate(to, options));
  else navigate(to, options);
}

export function hasUnsavedChanges(): boolean {
  return unsaved !== undefined;
}

/** Lets the next navigation leave the view without a question. */
export function discardUnsavedChanges(): void {
  unsaved = undefined;
}

/** Makes the browser ask before it leaves the page. Returns a function that turns this off. */
export function confirmBeforeUnload(): () => void {
  const ask = (event: Event) => event.preventDefault();
  addEventListener("beforeunload", ask);
  return () => removeEventListener("beforeunload", ask);
}

export function useConfirmBeforeUnload(isActive: boolean): void {
  useEffect(() => (isActive ? confirmBeforeUnload() : undefined), [isActive]);
}

/**
 * While there are unsaved changes, leaving the page asks for confirmation, Back calls `onBack` instead, and other navigations
 * within the console call `onNavigate`, if it is given.
 */
export function useUnsavedChanges(
  isUnsaved: boolean,
  onBack: () => void,
  onNavigate?: (navigation: Navigation) => void,
): void {
  useConfirmBeforeUnload(isUnsaved);
  const back = useEffectEvent(onBack);
  const navigate = useEffectEvent((navigation: Navigation) => onNavigate?.(navigation));
  const guardsNavigation = onNavigate !== undefined;
  useEffect(() => {
    if (!isUnsaved) return;
    unsaved = {
      address: location.href,
      state: history.state,
      onBack: () => back(),
      onNavigate: guardsNavigation ? (navigation) => navigate(navigation) : undefined,
    };
    return discardUnsavedChanges;
  }, [isUnsaved, guardsNavigation]);
}
