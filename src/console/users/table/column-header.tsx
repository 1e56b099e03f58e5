import { type KeyboardEvent, type PointerEvent, useState } from "react";
import { users as texts } from "../../texts/index.ts";
import { ArrowDown, ArrowUp } from "../../ui/icons.ts";
import { useFieldLabel } from "../field-info.ts";
import { defaultSort, type ListParams } from "../list-params.ts";
import type { CellAttributes } from "./user-row.tsx";

/** Pixels that a key press changes the width by. */
const KEY_STEP = 16;

interface HeaderProps {
  readonly field: string;
  readonly attributes: CellAttributes | undefined;
  readonly isDragged: boolean;
  /** Where the dragged column would appear. */
  readonly dropSide: "before" | "after" | undefined;
  /** Whether the heading is in the tab order. */
  readonly isTabStop: boolean;
  readonly sort: ListParams["sort"];
  readonly onSort: (sort: ListParams["sort"]) => void;
  readonly width: number;
  readonly onResize: (field: string, width: number | undefined) => void;
}

/** The heading of a column, which sorts, and the handle at its end, which changes the width. */
export function ColumnHeader(props: HeaderProps) {
  const { field, attributes, isDragged, dropSide, isTabStop, sort, onSort, width, onResize } = props;
  const descending = sort.startsWith("-");
  const sorted = sort === field || sort === `-${field}`;
  const Arrow = descending ? ArrowDown : ArrowUp;
  const order = descending ? "descending" : "ascending";
  const label = useFieldLabel()(field);
  const press = (event: KeyboardEvent<HTMLElement>) => {
    if (!event.shiftKey || event.ctrlKey || event.metaKey || event.altKey) return;
    const shown = shownWidth(event.currentTarget, width);
    if (event.key === "ArrowLeft") onResize(field, shown - KEY_STEP);
    else if (event.key === "ArrowRight") onResize(field, shown + KEY_STEP);
    else if (event.key === "Enter") onResize(field, undefined);
    else return;
    event.preventDefault();
  };
  return (
    <th
      className="grid-cell"
      {...attributes}
      data-dragged={isDragged || undefined}
      data-drop={dropSide}
      aria-sort={sorted ? order : undefined}
    >
      <button
        type="button"
        className="sort"
        title={label}
        tabIndex={isTabStop ? 0 : -1}
        aria-keyshortcuts="Shift+ArrowLeft Shift+ArrowRight Shift+Enter"
        onClick={() => onSort(nextSort(field, sort))}
        onKeyDown={press}
      >
        <span className="sort-label" dir="auto">
          {label}
        </span>
        {sorted && <Arrow aria-hidden />}
      </button>
      <ResizeHandle width={width} onResize={(next) => onResize(field, next)} />
    </th>
  );
}

interface HandleProps {
  readonly width: number;
  readonly onResize: (width: number | undefined) => void;
}

/** For the pointer. The heading has keys for the same. */
function ResizeHandle({ width, onResize }: HandleProps) {
  /** Where the pointer went down, and how wide the column was. */
  const [start, setStart] = useState<{ readonly x: number; readonly width: number }>();
  const grab = (event: PointerEvent<HTMLElement>) => {
    event.currentTarget.setPointerCapture(event.pointerId);
    setStart({ x: event.clientX, width: shownWidth(event.currentTarget, width) });
  };
  return (
    <hr
      aria-hidden
      className="resize"
      data-active={start !== undefined || undefined}
      title={texts.columns.widthHint}
      onPointerDown={grab}
      onPointerMove={({ clientX }) => start && onResize(start.width + clientX - start.x)}
      onLostPointerCapture={() => setStart(undefined)}
      onDoubleClick={() => onResize(undefined)}
    />
  );
}

/** The width of the column with this control: it may be wider than it has to be. */
function shownWidth(control: HTMLElement, width: number): number {
  return control.parentElement?.getBoundingClientRect().width || width;
}

/** Ascending, then descending, then the default. */
function nextSort(field: string, sort: ListParams["sort"]): ListParams["sort"] {
  if (sort === field) return `-${field}`;
  return sort === `-${field}` ? defaultSort : field;
}
