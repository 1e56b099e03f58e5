import { findContent } from "./content.ts";

/** What takes the focus next, such as a dialog that opens, takes it before. */
const GRACE_MS = 100;
const overlays = ":is(.modal, .popup, .menu)[data-open]";

/**
 * Moves the focus when its element is removed: to the dialog or popup that is open, otherwise to the view. A button that was disabled
 * while its request ran gets the focus back. Returns a function that stops this.
 */
export function keepFocus(): () => void {
  let focused: HTMLElement | undefined;
  let wasDisabled = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  // While the browser's own controls have the focus, the page takes nothing.
  const isLost = () =>
    focused !== undefined && document.activeElement === document.body && document.hasFocus();
  const restore = () => {
    timer = undefined;
    if (!focused || !isLost()) return;
    if (focused.isConnected) {
      // Other elements lose the focus only if something takes it from them.
      if (wasDisabled) focused.focus({ preventScroll: true });
      return;
    }
    const overlay = [...document.querySelectorAll<HTMLElement>(overlays)].at(-1);
    (overlay ?? findContent())?.focus({ preventScroll: true });
  };
  const observer = new MutationObserver(() => {
    wasDisabled ||= focused?.matches(":disabled") === true;
    if (isLost()) timer ??= setTimeout(restore, GRACE_MS);
  });
  const enter = ({ target }: FocusEvent) => {
    focused = target instanceof HTMLElement ? target : undefined;
    wasDisabled = false;
  };
  // A click on the page leaves the focus to nothing, as people expect.
  const click = () => {
    focused = undefined;
  };
  document.addEventListener("focusin", enter);
  document.addEventListener("pointerdown", click, { capture: true });
  observer.observe(document.body, { childList: true, subtree: true, attributeFilter: ["disabled"] });
  return () => {
    document.removeEventListener("focusin", enter);
    document.removeEventListener("pointerdown", click, { capture: true });
    observer.disconnect();
    clearTimeout(timer);
  };
}

/** A button that disappears leaves the focus to the next one. */
export function focusNext({ nextElementSibling: next }: HTMLButtonElement): void {
  if (next instanceof HTMLElement) next.focus();
}
