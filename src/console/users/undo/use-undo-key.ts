import { useEffect } from "react";
import { isApple } from "../../lib/platform.ts";
import { hasUnsavedChanges } from "../../lib/unsaved-changes.ts";
import { shortcuts } from "../../texts/shortcuts.ts";
import { undoLast } from "./undo.ts";

/** Elements in which the browser undoes what was typed. */
const typing = "input:not([type=checkbox], [type=radio]), textarea, [contenteditable]";

/** Ctrl+Z, or ⌘Z on a Mac, undoes the last change, except in text fields, in dialogs and while something is not saved. */
export function useUndoKey(): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const isShortcut =
        event.key.toLowerCase() === shortcuts.everywhere.undo.key &&
        (isApple ? event.metaKey : event.ctrlKey);
      if (!isShortcut || event.altKey || event.shiftKey || event.repeat || event.defaultPrevented) return;
      if (event.target instanceof Element && event.target.closest(typing)) return;
      if (document.querySelector(".modal, .popup, .menu") || hasUnsavedChanges()) return;
      event.preventDefault();
      undoLast();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
}
