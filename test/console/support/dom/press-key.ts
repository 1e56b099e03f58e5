import type { Window } from "happy-dom";

interface Keys {
  readonly key: string;
  readonly ctrlKey?: boolean;
  readonly shiftKey?: boolean;
}

/** Presses keys on the first element that the selector finds and that has the text. By default, on the page. */
export function pressKeys(window: Window, keys: Keys, selector = "body", text = ""): void {
  const elements = [...window.document.querySelectorAll(selector)];
  const element = elements.find(({ textContent }) => textContent.includes(text));
  if (!element) throw new Error(`Nothing at ${selector} has the text ${text}.`);
  element.dispatchEvent(new window.KeyboardEvent("keydown", { ...keys, bubbles: true, cancelable: true }));
}
