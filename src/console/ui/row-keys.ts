import type { KeyboardEvent, MouseEvent } from "react";
import type { MenuAnchor } from "./menu.tsx";

/** How many rows each key moves. */
export const rowSteps: Readonly<Record<string, number>> = {
  ArrowDown: 1,
  ArrowUp: -1,
  PageDown: 12,
  PageUp: -12,
  Home: Number.NEGATIVE_INFINITY,
  End: Number.POSITIVE_INFINITY,
};

/** The key for the menu of an element, and Shift-F10 on keyboards without it. */
export const isMenuKey = ({ key, shiftKey }: KeyboardEvent) =>
  key === "ContextMenu" || (key === "F10" && shiftKey);

/** The place of the pointer, to open a menu there. */
export function pointAt({ clientX, clientY }: MouseEvent): MenuAnchor["at"] {
  const place = new DOMRect(clientX, clientY, 0, 0);
  return { getBoundingClientRect: () => place };
}
