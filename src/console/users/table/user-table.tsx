import {
  type CSSProperties,
  type KeyboardEvent,
  type MouseEvent,
  type SyntheticEvent,
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import type { User } from "../../../client/index.ts";
import { describeError } from "../../lib/api.ts";
import { Observable } from "../../lib/observable.ts";
import { itemAt, loadedItems, type Range } from "../../lib/sparse-list.ts";
import { shell, users as texts } from "../../texts/index.ts";
import { Button } from "../../ui/button.tsx";
import { isMenuKey, pointAt, rowSteps } from "../../ui/row-keys.ts";
import { reportError, showToast } from "../../ui/toasts.tsx";
import { fieldKind } from "../field-info.ts";
import type { ListParams } from "../list-params.ts";
import type { LoadedUsers } from "../queries.ts";
import { type ColumnWidth, columnStyle, fitColumns, sumOf, useColumnRoom } from "./column-fit.ts";
import type { ColumnLayout } from "./column-layout.ts";
import { useMeasuredColumns } from "./column-widths.ts";
import { HeaderRow } from "./header-row.tsx";
import { NoLongerMatching } from "./no-longer-matching.tsx";
import { openUserInNewTab, type Removal, RowMenu, type RowMenuTarget } from "./row-menu.tsx";
import type { Selection } from "./selection.ts";
import { TablePosition } from "./table-position.tsx";
import { useTallRows } from "./use-tall-rows.ts";
import { loadRange, useMissingPages } from "./use-user-list.ts";
import { type CellAttributes, UserRow } from "./user-row.tsx";

interface TableProps {
  /** Undefined until the first users have arrived. */
  readonly users: LoadedUsers | undefined;
  /** What the list is, or will be when it is loaded. */
  readonly search: ListParams;
  /** The number of users, as far as it is known. */
  readonly length: number;
  /** Whether there are more than `length`. */
  readonly isCapped: boolean;
  readonly fields: readonly string[];
  readonly layout: ColumnLayout;
  /** In pixels. */
  readonly rowHeight: number;
  readonly onSort: (sort: ListParams["sort"]) => void;
  readonly selection: Selection;
  readonly openId: number | undefined;
  readonly onOpen: (user: User) => void;
  readonly removal: Removal | undefined;
  /** Whether this list, or another one, is being loaded. */
  readonly isLoading: boolean;
  /** Whether another list takes the place of this one as soon as it is loaded. */
  readonly isOld: boolean;
  /** Why the list could not be loaded again. */
  readonly error: unknown;
  readonly onRetry: () => void;
}

const MIDDLE_BUTTON = 1;
const EMPTY: LoadedUsers["list"] = { stretches: [] };
/** Rows that stand for users until the first ones have arrived. */
const SKELETON_ROWS = 30;
/** Users beyond the rendered rows that are loaded in advance. */
const AHEAD = 24;
/** The most users that a person can select with Shift. */
const MAX_RANGE = 10_000;
/** Scroll positions by list: they survive a visit to another view. */
const positions = new Map<string, number>();

function focusAndShow(row: HTMLElement | null | undefined): void {
  row?.focus({ preventScroll: true });
  row?.scrollIntoView({ block: "nearest" });
}

/** A grid of any number of users, with keyboard navigation. It loads the users where it is scrolled to. */
export function UserTable(props: TableProps) {
  const { users, fields, layout, rowHeight, selection, openId, onOpen, removal, isLoading, isOld } = props;
  const { search, list } = users ?? { search: props.search, list: EMPTY };
  const length = users ? props.length : SKELETON_ROWS;
  const listKey = JSON.stringify(search);
  const box = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState(0);
  /** Where a range of selected rows begins. */
  const anchor = useRef<number>(undefined);
  const [menu, setMenu] = useState<RowMenuTarget>();
  const loaded = useMemo(() => loadedItems(list), [list]);
  // Build only visible columns: there can be thousands of fields.
  const { shown, pinned } = layout;
  const shownFields = useMemo(() => {
    const known = new Set(fields);
    return shown.filter((field) => known.has(field));
  }, [fields, shown]);
  const measured = useMeasuredColumns(shownFields, loaded);
  const cells = useMemo(() => {
    const pins = ["name", ...shownFields.filter((field) => pinned.has(field))];
    const attributes = (field: string): CellAttributes => ({
      "data-field": field,
      "data-kind": measured.get(field)?.isNumber ? "number" : undefined,
      "data-pin": pins.includes(field) ? pins.indexOf(field) : undefined,
    });
    return new Map(shownFields.map((field) => [field, attributes(field)]));
  }, [shownFields, pinned, measured]);
  const room = useColumnRoom(box);
  const columnWidths = fitColumns(
    [...cells].map(([field, cell]): ColumnWidth => {
      const chosen = layout.widths.get(field);
      const canGrow = chosen === undefined && cell["data-kind"] !== "number";
      const canShrink = canGrow && fieldKind(field) !== "date";
      const isPinned = cell["data-pin"] !== undefined;
      return { field, width: chosen ?? measured.get(field)?.width ?? 0, canGrow, canShrink, isPinned };
    }),
    room,
  );
  const widthOf = (field: string) => columnWidths.find((column) => column.field === field)?.width ?? 0;

  const [visible] = useState(() => new Observable<Range>({ first: 0, end: 0 }));
  const rows = useTallRows({
    box,
    count: length,
    rowHeight,
    onVisible: (next) => {
      const { first, end } = visible.get();
      if (first !== next.first || end !== next.end) visible.set(next);
    },
  });
  const { rendered } = rows;
  const missing = useMissingPages(
    { search, list },
    { first: rendered.first, end: Math.min(length, rendered.end + AHEAD) },
    !isLoading,
  );
  const { scrollTo } = rows;
  const startAt = useEffectEvent((key: string) => {
    scrollTo(positions.get(key) ?? 0);
    setActive(0);
    anchor.current = undefined;
  });
  // A list of its own, with its own scroll position.
  useLayoutEffect(() => startAt(listKey), [listKey]);

  const isActiveRendered = rendered.first <= active && active < rendered.end;
  /** The row that Tab reaches: after scrolling, one that is visible. */
  const activeRow = Math.min(isActiveRendered ? active : visible.get().first, Math.max(0, length - 1));
  const findRow = (index: number) => box.current?.querySelector<HTMLElement>(`tr[data-index="${index}"]`);
  /** The row that gets the focus as soon as it is rendered. */
  const awaited = useRef<number>(undefined);
  const focusRow = (to: number) => {
    const index = Math.max(0, Math.min(length - 1, to));
    setActive(index);
    const row = findRow(index);
    if (row) focusAndShow(row);
    else {
      // It is rendered until the next frame. A key that is pressed before moves on from it.
      awaited.current = index;
      scrollTo(Math.max(0, (index - 6) * rowHeight));
      requestAnimationFrame(() => {
        if (awaited.current !== index) return;
        awaited.current = undefined;
        focusAndShow(findRow(index));
      });
    }
    return index;
  };
  const select = async (to: number) => {
    anchor.current ??= to;
    const first = Math.min(anchor.current, to);
    const end = Math.max(anchor.current, to) + 1;
    if (end - first > MAX_RANGE) return showToast({ ...texts.longRange(MAX_RANGE), kind: "failed" });
    try {
      selection.selectRange(await loadRange(search, { first, end }));
    } catch (error) {
      reportError(error);
    }
  };
  const isNothingSelected = selection.users.length === 0;
  useEffect(() => {
    if (isNothingSelected) anchor.current = undefined;
  }, [isNothingSelected]);
  const toggle = (index: number, user: User) => {
    anchor.current = index;
    selection.toggle(user);
  };
  // One listener for all rows: they mount and unmount while scrolling.
  const rowOf = ({ target }: SyntheticEvent) => {
    const element = target instanceof Element ? target.closest<HTMLElement>("[data-index]") : null;
    const index = Number(element?.dataset.index ?? -1);
    return { index, user: itemAt(list, index), element, isItself: element === target };
  };
  const click = (event: MouseEvent) => {
    const { index, user, element } = rowOf(event);
    if (!user || !element || !(event.target instanceof Element)) return;
    const button = event.target.closest<HTMLElement>("[data-menu]");
    if (button) return setMenu({ user, anchor: { at: button, returnFocus: button } });
    // The click on the label, which the browser repeats on its checkbox.
    if (event.target.closest("label") && !(event.target instanceof HTMLInputElement)) return;
    if (event.shiftKey) return void select(index);
    if (event.target instanceof HTMLInputElement) return toggle(index, user);
    // The browser opens the link in a new tab or window.
    const isNewTab = event.ctrlKey || event.metaKey;
    if (isNewTab && event.target.closest("a")) return;
    event.preventDefault();
    if (isNewTab) openUserInNewTab(user);
    else onOpen(user);
  };
  const auxiliaryClick = (event: MouseEvent) => {
    const { user } = rowOf(event);
    const isLink = event.target instanceof Element && event.target.closest("a") !== null;
    if (user && event.button === MIDDLE_BUTTON && !isLink) openUserInNewTab(user);
  };
  const openContextMenu = (event: MouseEvent) => {
    const { user, element } = rowOf(event);
    // With Shift, the browser's own menu.
    if (!user || !element || event.shiftKey) return;
    event.preventDefault();
    setMenu({ user, anchor: { at: pointAt(event), returnFocus: element } });
  };
  const press = (event: KeyboardEvent<HTMLElement>) => {
    const { index, user, element, isItself } = rowOf(event);
    if (!element || !isItself || event.ctrlKey || event.metaKey || event.altKey) return;
    const step = rowSteps[event.key];
    if (step !== undefined) {
      const to = focusRow((awaited.current ?? index) + step);
      if (event.shiftKey) {
        anchor.current ??= index;
        void select(to);
      } else {
        anchor.current = to;
        selection.startRange();
      }
    } else if (isMenuKey(event)) {
      const button = element.querySelector<HTMLElement>("[data-menu]");
      if (user && button) setMenu({ user, anchor: { at: button, returnFocus: element } });
    } else if (!user) return;
    else if (event.key === "Enter") onOpen(user);
    else if (event.key === " ") toggle(index, user);
    else if (event.key === "Delete") removal?.run(user);
    else return;
    event.preventDefault();
  };
  const hadFocus = useRef(false);
  useEffect(() => {
    // The last row was deleted while it had the focus.
    if (hadFocus.current && document.activeElement === document.body) findRow(activeRow)?.focus();
  });

  const style = {
    ...columnStyle(columnWidths, room),
    "--row": `${rowHeight}px`,
    "--height": `${rows.height}px`,
  } as CSSProperties;
  const indexes = Array.from(
    { length: Math.max(0, rendered.end - rendered.first) },
    (_, offset) => rendered.first + offset,
  );
  const error = missing.error ?? props.error;
  const areAllSelected = loaded.length > 0 && loaded.every(selection.has);
  return (
    <>
      <div className="grid-frame">
        {isLoading && <div className="grid-progress" />}
        <div
          ref={box}
          className="grid"
          data-wide={sumOf(columnWidths) > room || undefined}
          data-old={isOld || undefined}
          style={style}
          onScroll={({ currentTarget: grid }) => {
            grid.toggleAttribute("data-aside", grid.scrollLeft > 0);
            grid.toggleAttribute("data-at-end", grid.scrollLeft >= grid.scrollWidth - grid.clientWidth - 1);
            rows.onScroll();
            positions.set(listKey, rows.top());
          }}
        >
          <table
            // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: its rows are focusable, which makes it a grid.
            role="grid"
            aria-label={texts.table}
            aria-rowcount={props.isCapped ? -1 : length + 1}
            aria-multiselectable
            aria-busy={isLoading}
          >
            <thead className="grid-head">
              <HeaderRow
                cells={cells}
                layout={layout}
                widthOf={widthOf}
                sort={props.search.sort}
                onSort={props.onSort}
                areAllSelected={areAllSelected}
                areSomeSelected={!areAllSelected && selection.users.length > 0}
                onToggleAll={() => selection.toggleAll(loaded)}
                onEnterRows={() => focusRow(activeRow)}
              />
            </thead>
            <tbody
              className="grid-body"
              onFocus={(event) => {
                hadFocus.current = true;
                setActive(rowOf(event).index);
              }}
              onBlur={() => {
                hadFocus.current = false;
              }}
              onKeyDown={press}
              onClick={click}
              onAuxClick={auxiliaryClick}
              onContextMenu={openContextMenu}
              // A range that is selected with Shift selects no text.
              onMouseDown={(event) => event.shiftKey && event.preventDefault()}
            >
              {indexes.map((index) => {
                const user = itemAt(list, index);
                return (
                  <UserRow
                    key={index}
                    user={user}
                    cells={cells}
                    index={index}
                    start={rows.startOf(index)}
                    selected={user !== undefined && selection.has(user)}
                    open={user !== undefined && user.id === openId}
                    // Only one row is in the tab order. The arrow keys reach the others.
                    tabbable={index === activeRow}
                  />
                );
              })}
            </tbody>
          </table>
          <RowMenu
            target={menu}
            onClose={() => setMenu(undefined)}
            onOpen={onOpen}
            isSelected={selection.has}
            onToggle={selection.toggle}
            removal={removal}
          />
        </div>
      </div>
      <div className="grid-foot">
        {error !== undefined ? (
          <p role="alert">
            {describeError(error).title}. {describeError(error).text}
            <Button onClick={missing.error === undefined ? props.onRetry : missing.retry}>
              {shell.retry}
            </Button>
          </p>
        ) : (
          users && (
            <>
              <TablePosition visible={visible} length={length} isCapped={props.isCapped} />
              <NoLongerMatching users={users} />
            </>
          )
        )}
      </div>
    </>
  );
}
