import { type RowSelectionState, type Updater, useTable } from "@tanstack/react-table";
import { useVirtualizer } from "@tanstack/react-virtual";
import { ArrowDown, ArrowUp } from "lucide-react";
import { type CSSProperties, type KeyboardEvent, useEffect, useMemo, useRef, useState } from "react";
import type { User } from "../../client/index.ts";
import { users as texts } from "../texts/index.ts";
import { columnsOf, features, labelOf, widthOf } from "./columns.tsx";
import { type Search, sortFields } from "./search.ts";

interface TableProps {
  readonly users: readonly User[];
  readonly fields: readonly string[];
  readonly shown: ReadonlySet<string>;
  readonly total: number | undefined;
  readonly sort: Search["sort"];
  readonly onSort: (sort: Search["sort"]) => void;
  readonly selection: RowSelectionState;
  readonly onSelection: (updater: Updater<RowSelectionState>) => void;
  readonly openId: number | undefined;
  readonly onOpen: (user: User) => void;
  readonly onDelete: (user: User) => void;
  /** The last row that is loaded can be seen. */
  readonly onEnd: () => void;
  readonly loading: boolean;
  /** What is said below the last row. */
  readonly foot: string | undefined;
}

const ROW = 52;
const OVERSCAN = 12;
/** How many rows each key goes on. */
const steps: Readonly<Record<string, number>> = {
  ArrowDown: 1,
  ArrowUp: -1,
  PageDown: 12,
  PageUp: -12,
  Home: Number.NEGATIVE_INFINITY,
  End: Number.POSITIVE_INFINITY,
};

/** The users as a grid: as many rows exist as can be seen, and the keyboard goes where the mouse does. */
export function UserTable(props: TableProps) {
  const { users, fields, shown, total, selection, onSelection, openId, onOpen, onDelete, onEnd, loading } =
    props;
  const box = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState(0);
  const columns = useMemo(() => columnsOf(fields), [fields]);
  const data = useMemo(() => [...users], [users]);
  const columnVisibility = useMemo(
    () => Object.fromEntries(fields.map((field) => [field, shown.has(field)])),
    [fields, shown],
  );
  const table = useTable({
    features,
    columns,
    data,
    getRowId: ({ id }) => String(id),
    state: { rowSelection: selection, columnVisibility },
    onRowSelectionChange: onSelection,
  });
  const { rows } = table.getRowModel();
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW,
    overscan: OVERSCAN,
    getItemKey: (index) => rows[index]?.id ?? index,
  });
  const items = virtual.getVirtualItems();

  const lastSeen = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (rows.length > 0 && lastSeen >= rows.length - OVERSCAN * 2) onEnd();
  }, [lastSeen, rows.length, onEnd]);

  const go = (to: number) => {
    const index = Math.max(0, Math.min(rows.length - 1, to));
    setActive(index);
    virtual.scrollToIndex(index);
    // It may have to be made first.
    requestAnimationFrame(() => box.current?.querySelector<HTMLElement>(`[data-index="${index}"]`)?.focus());
  };
  const press = (event: KeyboardEvent, index: number) => {
    const row = rows[index];
    if (!row || event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey)
      return;
    const step = steps[event.key];
    if (step !== undefined) go(index + step);
    else if (event.key === "Enter") onOpen(row.original);
    else if (event.key === " ") row.toggleSelected();
    else if (event.key === "Delete") onDelete(row.original);
    else return;
    event.preventDefault();
  };

  const headers = table.getHeaderGroups()[0]?.headers ?? [];
  const widths = headers.map(({ id }) => widthOf(id)).join(" ");
  const style = { "--widths": widths, "--height": `${virtual.getTotalSize()}px` } as CSSProperties;
  return (
    <div ref={box} className="grid" style={style}>
      <table
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: its rows take the keyboard, which makes it a grid.
        role="grid"
        aria-label={texts.table}
        aria-rowcount={total === undefined ? -1 : total + 1}
        aria-busy={loading}
      >
        <thead className="grid-head">
          <tr aria-rowindex={1} className="grid-row">
            <th className="grid-cell check">
              <input
                type="checkbox"
                aria-label={texts.selectAll}
                checked={table.getIsAllRowsSelected()}
                ref={(input) => {
                  if (input) input.indeterminate = table.getIsSomeRowsSelected();
                }}
                onChange={table.getToggleAllRowsSelectedHandler()}
              />
            </th>
            {headers.map(({ id }) => (
              <Header key={id} field={id} sort={props.sort} onSort={props.onSort} />
            ))}
          </tr>
        </thead>
        <tbody className="grid-body">
          {items.map(({ index, start, key }) => {
            const row = rows[index];
            if (!row) return null;
            const { original: user } = row;
            return (
              <tr
                key={key}
                aria-rowindex={index + 2}
                aria-selected={row.getIsSelected()}
                data-index={index}
                data-open={user.id === openId || undefined}
                className="grid-row body"
                // One row of all is in the order of Tab; the arrows lead to the others.
                tabIndex={index === Math.min(active, rows.length - 1) ? 0 : -1}
                style={{ transform: `translateY(${start}px)` }}
                onFocus={() => setActive(index)}
                onKeyDown={(event) => press(event, index)}
                onClick={(event) => {
                  if (event.target instanceof Element && !event.target.closest("label")) onOpen(user);
                }}
              >
                <td className="grid-cell check">
                  <label>
                    <input
                      type="checkbox"
                      tabIndex={-1}
                      aria-label={texts.select(user.name)}
                      checked={row.getIsSelected()}
                      onChange={row.getToggleSelectedHandler()}
                    />
                  </label>
                </td>
                {row.getVisibleCells().map((cell) => (
                  <td key={cell.id} className="grid-cell" data-field={cell.column.id}>
                    <table.FlexRender cell={cell} />
                  </td>
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
      {props.foot !== undefined && (
        <p className="grid-foot" role="status">
          {props.foot}
        </p>
      )}
    </div>
  );
}

interface HeaderProps extends Pick<TableProps, "sort" | "onSort"> {
  readonly field: string;
}

function Header({ field, sort, onSort }: HeaderProps) {
  const sortable = sortFields.find((each) => each === field);
  const descending = sort.startsWith("-");
  const sorted = sort === field || sort === `-${field}`;
  const Arrow = descending ? ArrowDown : ArrowUp;
  const order = descending ? "descending" : "ascending";
  return (
    <th className="grid-cell" data-field={field} aria-sort={sorted ? order : undefined}>
      {sortable ? (
        <button
          type="button"
          className="sort"
          onClick={() => onSort(sorted && !descending ? `-${sortable}` : sortable)}
        >
          {labelOf(field)}
          {sorted && <Arrow aria-hidden />}
        </button>
      ) : (
        labelOf(field)
      )}
    </th>
  );
}
