import { useEffect, useEffectEvent } from "react";

/** Elements with a use for single keys. */
const typing = "input:not([type=checkbox]), textarea, select, .popup, .menu";

/**
 * Single-key shortcuts. Ignored while the focus is in a field, a menu is open, or more dialogs are open than the one whose shortcuts
 * these are.
 */
export function useShortcuts(
  keys: Readonly<Record<string, () => unknown>>,
  { inDialog = false }: { readonly inDialog?: boolean } = {},
): void {
  const press = useEffectEvent((event: KeyboardEvent) => {
    const action = keys[event.key];
    if (!action || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (event.target instanceof Element && event.target.closest(typing)) return;
    if (document.querySelectorAll(".modal, .popup, .menu").length > (inDialog ? 1 : 0)) return;
    event.preventDefault();
    action();
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent) => press(event);
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, []);
}
