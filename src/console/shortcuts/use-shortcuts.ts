import { useEffect, useEffectEvent } from "react";
import type { Shortcut } from "../texts/shortcuts.ts";

/** Elements with a use for single keys. */
const typing = "input:not([type=checkbox]), textarea, select, [contenteditable], .popup, .menu";

interface Options {
  /** Whether the shortcuts also work while a user is open over the list. */
  readonly inDrawer?: boolean;
}

/** Single-key shortcuts, with what each does. */
export function useShortcuts(
  actions: readonly (readonly [shortcut: Shortcut, action: () => unknown])[],
  options: Options = {},
): void {
  const press = useEffectEvent((event: KeyboardEvent) => {
    const [, action] = actions.find(([{ key }]) => key === event.key) ?? [];
    if (!action || !isForShortcuts(event, options)) return;
    event.preventDefault();
    action();
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent) => press(event);
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, []);
}

/** Whether no field, menu or dialog has a use for the key. */
export function isForShortcuts(event: KeyboardEvent, { inDrawer = false }: Options = {}): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return false;
  if (event.target instanceof Element && event.target.closest(typing)) return false;
  return !document.querySelector(inDrawer ? ".modal:not(.side), .popup, .menu" : ".modal, .popup, .menu");
}
