import { useEffect, useEffectEvent } from "react";

// Loaded with the page: this popstate listener has to run before the router's.

interface Unsaved {
  readonly address: string;
  readonly onBack: () => void;
}

let unsaved: Unsaved | undefined;

addEventListener("popstate", (event) => {
  if (!unsaved) return;
  // Hide the event from the router and restore the address.
  event.stopImmediatePropagation();
  history.pushState(null, "", unsaved.address);
  unsaved.onBack();
});

/** Runs `act` just before the page is closed or left. */
export function onPageHide(act: () => void): void {
  addEventListener("pagehide", act);
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

/** While there are unsaved changes, leaving the page asks for confirmation, and Back calls `onBack` instead. */
export function useUnsavedChanges(isUnsaved: boolean, onBack: () => void): void {
  useConfirmBeforeUnload(isUnsaved);
  const ask = useEffectEvent(onBack);
  useEffect(() => {
    if (!isUnsaved) return;
    unsaved = { address: location.href, onBack: () => ask() };
    return () => {
      unsaved = undefined;
    };
  }, [isUnsaved]);
}
