import { type KeyboardEvent, useLayoutEffect, useRef, useState } from "react";
import { users as texts } from "../../texts/index.ts";
import type { ListParams } from "../list-params.ts";
import { ColumnHeader } from "./column-header.tsx";
import type { ColumnLayout } from "./column-layout.ts";
import { useColumnDrag } from "./use-column-drag.ts";
import type { CellAttributes } from "./user-row.tsx";

interface HeaderRowProps {
  /** Attributes of the cells by field, in the order of the columns. */
  readonly cells: ReadonlyMap<string, CellAttributes>;
  readonly layout: ColumnLayout;
  readonly widthOf: (field: string) => number;
  readonly sort: ListParams["sort"];
  readonly onSort: (sort: ListParams["sort"]) => void;
  readonly areAllSelected: boolean;
  readonly areSomeSelected: boolean;
  readonly onToggleAll: () => void;
  /** Moves the focus from the headings to the rows. */
  readonly onEnterRows: () => void;
}

/** The controls of the row: the checkbox, then the headings. */
const controls = "input, .sort";
/** How many controls each key moves. */
const steps: Readonly<Record<string, number>> = {
  ArrowLeft: -1,
  ArrowRight: 1,
  Home: Number.NEGATIVE_INFINITY,
  End: Number.POSITIVE_INFINITY,
};

/**
 * The checkbox for all rows, and the headings of the columns, which can be dragged to another place. Only one of these controls is in
 * the tab order. The arrow keys reach the others.
 */
export function HeaderRow(props: HeaderRowProps) {
  const { cells, layout, widthOf, sort, onSort, onEnterRows } = props;
  const { drag, handlers } = useColumnDrag(layout);
  const fields = [...cells.keys()];
  const row = useRef<HTMLTableRowElement>(null);
  /** The column whose heading had the focus last. Undefined: the checkbox. */
  const [active, setActive] = useState<string>();
  const tabStop = active !== undefined && cells.has(active) ? active : undefined;
  const findControls = () => [...(row.current?.querySelectorAll<HTMLElement>(controls) ?? [])];
  const focus = (index: number) => {
    const control = findControls()[Math.max(0, Math.min(fields.length, index))];
    // Other headings scroll as little as possible.
    control?.focus({ preventScroll: control.closest("[data-pin]") === null });
  };
  /** The place of the control that has the focus. */
  const focused = useRef<number>(undefined);
  useLayoutEffect(() => {
    const isGone = focused.current !== undefined && !row.current?.contains(document.activeElement);
    // The next column takes the place of one that disappears.
    if (isGone) focus(focused.current ?? 0);
  });
  const press = (event: KeyboardEvent<HTMLElement>) => {
    handlers.onKeyDown(event);
    if (event.shiftKey || event.ctrlKey || event.metaKey || event.altKey) return;
    const step = steps[event.key];
    if (step !== undefined) focus((focused.current ?? 0) + step);
    else if (event.key === "ArrowDown") onEnterRows();
    else return;
    event.preventDefault();
  };
  const dropSide = (field: string) => {
    if (drag?.target !== field) return undefined;
    return fields.indexOf(drag.field) < fields.indexOf(field) ? "after" : "before";
  };
  return (
    <tr
      ref={row}
      aria-rowindex={1}
      className="grid-row"
      data-dragging={drag !== undefined || undefined}
      {...handlers}
      onKeyDown={press}
      onFocus={({ target }) => {
        focused.current = findControls().indexOf(target);
        const heading = target.closest("th");
        setActive(heading?.dataset.field);
        // Browsers ignore what is partly below pinned columns. A click must not move what is below the pointer.
        if (heading?.matches(":not(.check, [data-pin]):has(:focus-visible)")) {
          heading.scrollIntoView({ block: "nearest", inline: "nearest" });
        }
      }}
      onBlur={() => {
        focused.current = undefined;
      }}
    >
      <th className="grid-cell check">
        <label>
          <input
            type="checkbox"
            aria-label={texts.selectAll}
            tabIndex={tabStop === undefined ? 0 : -1}
            checked={props.areAllSelected}
            ref={(input) => {
              if (input) input.indeterminate = props.areSomeSelected;
            }}
            onChange={props.onToggleAll}
          />
        </label>
      </th>
      {fields.map((field) => (
        <ColumnHeader
          key={field}
          field={field}
          attributes={cells.get(field)}
          isDragged={drag?.field === field}
          dropSide={dropSide(field)}
          isTabStop={tabStop === field}
          sort={sort}
          onSort={onSort}
          width={widthOf(field)}
          onResize={layout.resize}
        />
      ))}
      <td className="grid-cell more" />
    </tr>
  );
}
