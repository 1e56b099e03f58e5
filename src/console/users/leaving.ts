import { useEffect, useRef } from "react";

// What is still to be done, or asked, when somebody goes. Loaded with the page, since the first to listen hears first.

interface Unsaved {
  readonly address: string;
  readonly ask: () => void;
}

let unsaved: Unsaved | undefined;

addEventListener("beforeunload", (event) => {
  if (unsaved) event.preventDefault();
});

addEventListener("popstate", (event) => {
  if (!unsaved) return;
  // The router does not hear of it: the address is what it was, and so is all that follows from it.
  event.stopImmediatePropagation();
  history.pushState(null, "", unsaved.address);
  unsaved.ask();
});

/** For what has to be done before the page is gone. */
export function whenLeaving(act: () => void): void {
  addEventListener("pagehide", act);
}

/** As long as something is not saved, the browser asks before it leaves the page, and Back asks here instead of going. */
export function useUnsaved(isUnsaved: boolean, ask: () => void): void {
  const current = useRef(ask);
  useEffect(() => {
    current.current = ask;
  });
  useEffect(() => {
    if (!isUnsaved) return;
    unsaved = { address: location.href, ask: () => current.current() };
    return () => {
      unsaved = undefined;
    };
  }, [isUnsaved]);
}
