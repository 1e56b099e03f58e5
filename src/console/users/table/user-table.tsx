import { type RowSelectionState, type Updater, useTable } from "@tanstack/react-table";
import { useVirtualizer } from "@tanstack/react-virtual";
import {
  type CSSProperties,
  type FocusEvent,
  type KeyboardEvent,
  type MouseEvent,
  type SyntheticEvent,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import type { User } from "../../../client/index.ts";
import { users as texts } from "../../texts/index.ts";
import { fieldKind, useFields } from "../field-info.ts";
import type { ListParams } from "../list-params.ts";
import { type ColumnWidth, columnStyle, fitColumns, sumOf, useColumnRoom } from "./column-fit.ts";
import type { ColumnLayout } from "./column-layout.ts";
import { isNumberColumn, useContentWidths } from "./column-widths.ts";
import { buildColumns, features } from "./columns.ts";
import { HeaderRow } from "./header-row.tsx";
import { openInNewTab, RowMenu, type RowMenuTarget } from "./row-menu.tsx";
import { type CellAttributes, UserRow } from "./user-row.tsx";

interface TableProps {
  readonly users: readonly User[];
  readonly fields: readonly string[];
  readonly layout: ColumnLayout;
  /** In pixels. */
  readonly rowHeight: number;
  readonly total: number | undefined;
  readonly sort: ListParams["sort"];
  readonly onSort: (sort: ListParams["sort"]) => void;
  readonly selection: RowSelectionState;
  readonly onSelection: (updater: Updater<RowSelectionState>) => void;
  /** Identifies the list. Its scroll position survives a visit to another view. */
  readonly listKey: string;
  readonly openId: number | undefined;
  readonly onOpen: (user: User) => void;
  /** Undefined if the person may not delete users. */
  readonly onDelete: ((user: User) => void) | undefined;
  /** Called when the last loaded row is near the visible part. */
  readonly onEnd: () => void;
  readonly loading: boolean;
  /** Text below the last row. */
  readonly foot: string | undefined;
}

const OVERSCAN = 12;
const MIDDLE_BUTTON = 1;
/** Scroll positions by list. */
const positions = new Map<string, number>();
/** How many rows each key moves. */
const steps: Readonly<Record<string, number>> = {
  ArrowDown: 1,
  ArrowUp: -1,
  PageDown: 12,
  PageUp: -12,
  Home: Number.NEGATIVE_INFINITY,
  End: Number.POSITIVE_INFINITY,
};

/** A virtualized grid with keyboard navigation. */
export function UserTable(props: TableProps) {
  const {
    users,
    fields,
    layout,
    rowHeight,
    total,
    selection,
    onSelection,
    openId,
    onOpen,
    onDelete,
    onEnd,
    loading,
  } = props;
  const box = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState(0);
  const [menu, setMenu] = useState<RowMenuTarget>();
  // Build only visible columns: there can be thousands of fields.
  const { shown, pinned } = layout;
  const shownFields = useMemo(() => {
    const known = new Set(fields);
    return shown.filter((field) => known.has(field));
  }, [fields, shown]);
  const columns = useMemo(() => buildColumns(shownFields), [shownFields]);
  const customFields = useFields();
  const cells = useMemo(() => {
    const pins = ["name", ...shownFields.filter((field) => pinned.has(field))];
    const attributes = (field: string): CellAttributes => ({
      "data-field": field,
      "data-kind": isNumberColumn(field, customFields) ? "number" : undefined,
      "data-pin": pins.includes(field) ? pins.indexOf(field) : undefined,
    });
    return new Map(shownFields.map((field) => [field, attributes(field)]));
  }, [shownFields, pinned, customFields]);
  const contentWidths = useContentWidths(shownFields, users);
  const room = useColumnRoom(box);
  const columnWidths = fitColumns(
    [...cells].map(([field, cell]): ColumnWidth => {
      const chosen = layout.widths.get(field);
      const canGrow = chosen === undefined && cell["data-kind"] !== "number";
      const canShrink = canGrow && fieldKind(field) !== "date";
      const isPinned = cell["data-pin"] !== undefined;
      return { field, width: chosen ?? contentWidths.get(field) ?? 0, canGrow, canShrink, isPinned };
    }),
    room,
  );
  const widthOf = (field: string) => columnWidths.find((column) => column.field === field)?.width ?? 0;
  const data = useMemo(() => [...users], [users]);
  const table = useTable({
    features,
    columns,
    data,
    getRowId: ({ id }) => String(id),
    state: { rowSelection: selection },
    onRowSelectionChange: onSelection,
  });
  const { rows } = table.getRowModel();
  const { listKey } = props;
  const virtual = useVirtualizer({
    count: rows.length,
    initialOffset: () => positions.get(listKey) ?? 0,
    getScrollElement: () => box.current,
    estimateSize: () => rowHeight,
    overscan: OVERSCAN,
    getItemKey: (index) => rows[index]?.id ?? index,
  });
  // The virtualizer keeps the sizes that it knows until it has to measure again.
  useLayoutEffect(() => {
    if (rowHeight > 0) virtual.measure();
  }, [virtual, rowHeight]);
  const items = virtual.getVirtualItems();

  const lastSeen = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (lastSeen >= rows.length - OVERSCAN * 2) onEnd();
  }, [lastSeen, rows.length, onEnd]);

  const go = (to: number) => {
    const index = Math.max(0, Math.min(rows.length - 1, to));
    setActive(index);
    virtual.scrollToIndex(index);
    // The row may not be rendered yet.
    requestAnimationFrame(() => box.current?.querySelector<HTMLElement>(`[data-index="${index}"]`)?.focus());
  };
  // One listener for all rows: they mount and unmount while scrolling.
  const rowOf = ({ target }: SyntheticEvent) => {
    const element = target instanceof Element ? target.closest<HTMLElement>("[data-index]") : null;
    const index = Number(element?.dataset.index ?? -1);
    return { index, row: rows[index], isItself: element === target };
  };
  const focus = (event: FocusEvent) => setActive(rowOf(event).index);
  const click = (event: MouseEvent) => {
    const { row } = rowOf(event);
    if (!row || !(event.target instanceof Element)) return;
    const button = event.target.closest<HTMLElement>("[data-menu]");
    if (button) setMenu({ user: row.original, anchor: button });
    if (event.target.closest("label, button")) return;
    // The browser opens the link in a new tab or window.
    const isNewTab = event.ctrlKey || event.metaKey || event.shiftKey;
    if (isNewTab && event.target.closest("a")) return;
    event.preventDefault();
    if (isNewTab) openInNewTab(row.original);
    else onOpen(row.original);
  };
  const auxiliaryClick = (event: MouseEvent) => {
    const { row } = rowOf(event);
    const isLink = event.target instanceof Element && event.target.closest("a") !== null;
    if (row && event.button === MIDDLE_BUTTON && !isLink) openInNewTab(row.original);
  };
  const press = (event: KeyboardEvent<HTMLElement>) => {
    const { index, row, isItself } = rowOf(event);
    if (!row || !isItself || event.ctrlKey || event.metaKey || event.altKey) return;
    const step = steps[event.key];
    if (step !== undefined) go(index + step);
    else if (event.key === "Enter") onOpen(row.original);
    else if (event.key === " ") row.toggleSelected();
    else if (event.key === "Delete") onDelete?.(row.original);
    else if (isMenuKey(event)) setMenu(menuOf(event.currentTarget, index, row.original));
    else return;
    event.preventDefault();
  };

  const style = {
    ...columnStyle(columnWidths),
    "--row": `${rowHeight}px`,
    "--height": `${virtual.getTotalSize()}px`,
  } as CSSProperties;
  return (
    <div
      ref={box}
      className="grid"
      data-wide={sumOf(columnWidths) > room || undefined}
      style={style}
      onScroll={({ currentTarget: grid }) => {
        grid.toggleAttribute("data-aside", grid.scrollLeft > 0);
        grid.toggleAttribute("data-at-end", grid.scrollLeft >= grid.scrollWidth - grid.clientWidth - 1);
        positions.set(listKey, grid.scrollTop);
      }}
    >
      <table
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: its rows are focusable, which makes it a grid.
        role="grid"
        aria-label={texts.table}
        aria-rowcount={total === undefined ? -1 : total + 1}
        aria-busy={loading}
      >
        <thead className="grid-head">
          <HeaderRow cells={cells} layout={layout} widthOf={widthOf} sort={props.sort} onSort={props.onSort}>
            <th className="grid-cell check">
              <label>
                <input
                  type="checkbox"
                  aria-label={texts.selectAll}
                  checked={table.getIsAllRowsSelected()}
                  ref={(input) => {
                    if (input) input.indeterminate = table.getIsSomeRowsSelected();
                  }}
                  onChange={table.getToggleAllRowsSelectedHandler()}
                />
              </label>
            </th>
          </HeaderRow>
        </thead>
        <tbody
          className="grid-body"
          onFocus={focus}
          onKeyDown={press}
          onClick={click}
          onAuxClick={auxiliaryClick}
        >
          {items.map(({ index, start, key }) => {
            const row = rows[index];
            return (
              row && (
                <UserRow
                  key={key}
                  row={row}
                  cells={cells}
                  index={index}
                  start={start}
                  selected={row.getIsSelected()}
                  open={row.original.id === openId}
                  // Only one row is in the tab order. The arrow keys reach the others.
                  tabbable={index === Math.min(active, rows.length - 1)}
                />
              )
            );
          })}
        </tbody>
      </table>
      <RowMenu target={menu} onClose={() => setMenu(undefined)} onDelete={onDelete} />
      {props.foot !== undefined && (
        <p className="grid-foot" role="status">
          {props.foot}
        </p>
      )}
    </div>
  );
}

/** The key for the menu of an element, and Shift-F10 on keyboards without it. */
const isMenuKey = ({ key, shiftKey }: KeyboardEvent) => key === "ContextMenu" || (key === "F10" && shiftKey);

function menuOf(body: HTMLElement, index: number, user: User): RowMenuTarget | undefined {
  const anchor = body.querySelector<HTMLElement>(`[data-index="${index}"] [data-menu]`);
  return anchor ? { user, anchor } : undefined;
}
