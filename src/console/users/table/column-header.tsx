import { type KeyboardEvent, type PointerEvent, useState } from "react";
import { users as texts } from "../../texts/index.ts";
import { ArrowDown, ArrowUp } from "../../ui/icons.ts";
import { useFieldLabel } from "../field-info.ts";
import { defaultSort, type ListParams } from "../list-params.ts";
import { widthLimits } from "./column-widths.ts";
import type { CellAttributes } from "./user-row.tsx";

/** Pixels that a key press changes the width by. */
const KEY_STEP = 16;

interface HeaderProps {
  readonly field: string;
  readonly attributes: CellAttributes | undefined;
  readonly isDragged: boolean;
  /** Where the dragged column would appear. */
  readonly dropSide: "before" | "after" | undefined;
  readonly sort: ListParams["sort"];
  readonly onSort: (sort: ListParams["sort"]) => void;
  readonly width: number;
  readonly onResize: (field: string, width: number | undefined) => void;
}

/** The heading of a column, which sorts, and the handle at its end, which resizes the column. */
export function ColumnHeader(props: HeaderProps) {
  const { field, attributes, isDragged, dropSide, sort, onSort, width, onResize } = props;
  const descending = sort.startsWith("-");
  const sorted = sort === field || sort === `-${field}`;
  const Arrow = descending ? ArrowDown : ArrowUp;
  const order = descending ? "descending" : "ascending";
  const label = useFieldLabel()(field);
  return (
    <th
      className="grid-cell"
      {...attributes}
      data-dragged={isDragged || undefined}
      data-drop={dropSide}
      // Without the name of the handle.
      aria-label={label}
      aria-sort={sorted ? order : undefined}
    >
      <button type="button" className="sort" title={label} onClick={() => onSort(nextSort(field, sort))}>
        <span className="sort-label">{label}</span>
        {sorted && <Arrow aria-hidden />}
      </button>
      <ResizeHandle label={label} width={width} onResize={(next) => onResize(field, next)} />
    </th>
  );
}

interface HandleProps {
  readonly label: string;
  readonly width: number;
  readonly onResize: (width: number | undefined) => void;
}

function ResizeHandle({ label, width, onResize }: HandleProps) {
  /** Where the pointer went down, and how wide the column was. */
  const [start, setStart] = useState<{ readonly x: number; readonly width: number }>();
  const grab = (event: PointerEvent<HTMLElement>) => {
    event.currentTarget.setPointerCapture(event.pointerId);
    const shown = event.currentTarget.parentElement?.getBoundingClientRect().width ?? width;
    setStart({ x: event.clientX, width: shown });
  };
  const press = (event: KeyboardEvent) => {
    if (event.key === "ArrowLeft") onResize(width - KEY_STEP);
    else if (event.key === "ArrowRight") onResize(width + KEY_STEP);
    else if (event.key === "Home") onResize(widthLimits.min);
    else if (event.key === "End") onResize(widthLimits.max);
    else if (event.key === "Enter") onResize(undefined);
    else return;
    event.preventDefault();
  };
  return (
    <hr
      tabIndex={0}
      className="resize"
      data-active={start !== undefined || undefined}
      aria-orientation="vertical"
      aria-label={texts.columns.width(label)}
      aria-valuenow={width}
      aria-valuemin={widthLimits.min}
      aria-valuemax={widthLimits.max}
      title={texts.columns.widthHint}
      onPointerDown={grab}
      onPointerMove={({ clientX }) => start && onResize(start.width + clientX - start.x)}
      onLostPointerCapture={() => setStart(undefined)}
      onDoubleClick={() => onResize(undefined)}
      onKeyDown={press}
    />
  );
}

/** Ascending, then descending, then the default. */
function nextSort(field: string, sort: ListParams["sort"]): ListParams["sort"] {
  if (sort === field) return `-${field}`;
  return sort === `-${field}` ? defaultSort : field;
}
