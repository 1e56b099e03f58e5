import { useEffect, useEffectEvent } from "react";

// What is still to be done, or asked, when somebody goes. Loaded with the page, since the first to listen hears first.

interface Unsaved {
  readonly address: string;
  readonly onBack: () => void;
}

let unsaved: Unsaved | undefined;

addEventListener("popstate", (event) => {
  if (!unsaved) return;
  // The router does not hear of it: the address is what it was, and so is all that follows from it.
  event.stopImmediatePropagation();
  history.pushState(null, "", unsaved.address);
  unsaved.onBack();
});

/** For what has to be done before the page is gone. */
export function onPageHide(act: () => void): void {
  addEventListener("pagehide", act);
}

/** From now on the browser asks before it leaves the page. Answers how to let it go. */
export function confirmBeforeUnload(): () => void {
  const ask = (event: Event) => event.preventDefault();
  addEventListener("beforeunload", ask);
  return () => removeEventListener("beforeunload", ask);
}

/** The same for as long as something would be lost. */
export function useConfirmBeforeUnload(held: boolean): void {
  useEffect(() => (held ? confirmBeforeUnload() : undefined), [held]);
}

/** As long as something is not saved, the browser asks before it leaves the page, and Back asks here instead of going. */
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
