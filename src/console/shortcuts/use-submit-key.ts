import { useEffect } from "react";
import { isApple } from "../lib/platform.ts";
import { shortcuts } from "../texts/shortcuts.ts";

/** Ctrl+Enter, or ⌘Enter on a Mac, presses the submit button of the form, from multiline inputs too. */
export function useSubmitKey(): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const isShortcut =
        event.key === shortcuts.everywhere.submit.key && (isApple ? event.metaKey : event.ctrlKey);
      if (!isShortcut || event.altKey || event.shiftKey || event.repeat || event.defaultPrevented) return;
      const form = event.target instanceof Element ? event.target.closest("form") : null;
      const button = [...document.querySelectorAll<HTMLButtonElement>("button[type=submit]")].find(
        (each) => each.form === form,
      );
      if (!form || !button) return;
      event.preventDefault();
      button.click();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
}
