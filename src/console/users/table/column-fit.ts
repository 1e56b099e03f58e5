import { type RefObject, useLayoutEffect, useState } from "react";

export interface ColumnWidth {
  readonly field: string;
  /** In pixels. */
  readonly width: number;
  /** Whether the column can take more room than its width. */
  readonly canGrow: boolean;
  /** Whether the column can be somewhat narrower than its content. */
  readonly canShrink: boolean;
  readonly isPinned: boolean;
}

/** Columns get at most this part narrower, and no column gets narrower than these pixels. */
const MAX_SHRINK = 0.35;
const MIN_SHRUNK = 120;
/** Pixels that pinned columns leave to the others: the width of the widest column that its content decides on. */
const MIN_UNPINNED = 250;
/** The columns of the checkbox and the menu. */
const CONTROL_COLUMNS = 2;

/** Makes columns somewhat narrower if the table then fits into the room. Otherwise the table scrolls sideways. */
export function fitColumns(columns: readonly ColumnWidth[], room: number): readonly ColumnWidth[] {
  const excess = sumOf(columns) - room;
  const slack = columns.reduce((sum, column) => sum + slackOf(column), 0);
  if (excess <= 0 || excess > slack) return columns;
  return columns.map((column) => ({
    ...column,
    width: Math.floor(column.width - (slackOf(column) * excess) / slack),
  }));
}

/** The pixels by which a column can get narrower. */
function slackOf({ width, canShrink }: ColumnWidth): number {
  return canShrink ? Math.max(0, Math.min(width * MAX_SHRINK, width - MIN_SHRUNK)) : 0;
}

export function sumOf(columns: readonly ColumnWidth[]): number {
  return columns.reduce((sum, { width }) => sum + width, 0);
}

/**
 * Variables with the width of each column, with the distance from the left of each pinned column that stays in view, and with the
 * width of these together. They stay while the others keep enough of the room.
 */
export function columnStyle(
  columns: readonly ColumnWidth[],
  room = Number.POSITIVE_INFINITY,
): Record<string, string> {
  const widths = columns.map(({ width, canGrow }) =>
    canGrow ? `minmax(${width}px, ${width}fr)` : `${width}px`,
  );
  const style: Record<string, string> = { "--widths": widths.join(" ") };
  let pinned = 0;
  for (const [pin, { width }] of columns.filter(({ isPinned }) => isPinned).entries()) {
    if (pinned + width > room - MIN_UNPINNED) break;
    style[`--pin-${pin}`] = `${pinned}px`;
    style[`--level-${pin}`] = "1";
    pinned += width;
  }
  return { ...style, "--pinned": `${pinned}px` };
}

/** The width in pixels that the columns of the table in this element have. */
export function useColumnRoom(box: RefObject<HTMLElement | null>): number {
  const [room, setRoom] = useState(Number.POSITIVE_INFINITY);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const measure = () => {
      const root = getComputedStyle(document.documentElement);
      // In rem. Without styles, the columns have no width.
      const column = Number.parseFloat(root.getPropertyValue("--control-column")) || 0;
      // Without a scrollbar.
      setRoom(element.clientWidth - CONTROL_COLUMNS * column * Number.parseFloat(root.fontSize));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [box]);
  return room;
}
