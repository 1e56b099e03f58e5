import { useEffect, useRef } from "react";

/** Single keys that do something while nobody is typing and nothing is open over the page. */
export function useShortcuts(keys: Readonly<Record<string, () => unknown>>): void {
  const current = useRef(keys);
  useEffect(() => {
    current.current = keys;
  });
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const action = current.current[event.key];
      if (!action || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      if (event.target instanceof Element && event.target.closest("input, textarea, select, .modal, .popup"))
        return;
      if (document.querySelector(".modal, .popup")) return;
      event.preventDefault();
      action();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
}
