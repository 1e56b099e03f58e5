import { type KeyboardEvent, type PointerEvent, type SyntheticEvent, useRef, useState } from "react";
import type { ColumnLayout } from "./column-layout.ts";

/** Pixels that the pointer moves before a click becomes a drag. */
const START_PIXELS = 6;

interface ColumnDrag {
  readonly field: string;
  /** The column whose place the dragged one takes. Undefined: none, or a place that it can't take. */
  readonly target: string | undefined;
}

/** Moves columns with the pointer. The handlers belong to the row of headings. */
export function useColumnDrag({ canPlace, place }: ColumnLayout) {
  const [drag, setDrag] = useState<ColumnDrag>();
  // The next event may come before the next render.
  const latest = useRef<ColumnDrag>(undefined);
  const show = (next: ColumnDrag | undefined) => {
    latest.current = next;
    setDrag(next);
  };
  const start = useRef<{ readonly field: string; readonly x: number }>(undefined);
  /** The click after a drag must not sort. */
  const ignoresClick = useRef(false);
  const end = () => {
    start.current = undefined;
    show(undefined);
  };
  const handlers = {
    onPointerDown({ target, button, pointerType, clientX }: PointerEvent<HTMLElement>) {
      ignoresClick.current = false;
      const field = fieldOf(target);
      // A finger scrolls the table.
      if (field === undefined || field === "name" || button !== 0 || pointerType === "touch") return;
      start.current = { field, x: clientX };
    },
    onPointerMove({ currentTarget: row, pointerId, buttons, clientX }: PointerEvent<HTMLElement>) {
      if (!start.current) return;
      // The button was released outside of the row.
      if (buttons === 0) return end();
      const { field, x } = start.current;
      const earlier = latest.current;
      if (!earlier) {
        if (Math.abs(clientX - x) < START_PIXELS) return;
        row.setPointerCapture(pointerId);
        ignoresClick.current = true;
      }
      const { top, height } = row.getBoundingClientRect();
      const below = fieldOf(document.elementFromPoint(clientX, top + height / 2));
      const target = below !== undefined && canPlace(field, below) ? below : undefined;
      if (!earlier || earlier.target !== target) show({ field, target });
    },
    onPointerUp() {
      const dropped = latest.current;
      end();
      if (dropped?.target !== undefined) place(dropped.field, dropped.target);
    },
    onLostPointerCapture: end,
    onClickCapture(event: SyntheticEvent) {
      if (ignoresClick.current) event.stopPropagation();
      ignoresClick.current = false;
    },
    onKeyDown(event: KeyboardEvent) {
      if (event.key !== "Escape" || !latest.current) return;
      event.preventDefault();
      end();
    },
  };
  return { drag, handlers };
}

/** The column of an element in the row of headings, except for the handle that resizes it. */
function fieldOf(element: EventTarget | null): string | undefined {
  if (!(element instanceof Element) || element.closest(".resize")) return undefined;
  return element.closest<HTMLElement>("th[data-field]")?.dataset.field;
}
