import {
  type CSSProperties,
  Fragment,
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  type SyntheticEvent,
  useEffect,
  useId,
  useRef,
  useState,
} from "react";
import { Link, useLocation } from "wouter";
import { openInNewTab } from "../lib/open-in-new-tab.ts";
import { rowMenu, list as texts } from "../texts/index.ts";
import { Button } from "./button.tsx";
import { ChevronRight, Ellipsis } from "./icons.ts";
import { AnchoredMenu, type MenuAnchor } from "./menu.tsx";
import { isMenuKey, pointAt, rowSteps } from "./row-keys.ts";

export interface ListColumn<Item> {
  readonly title: string;
  /** A track of a CSS grid. Default: as wide as the content. */
  readonly width?: string;
  /** Whether a narrow list leaves the column out. The details or the page of an entry then show the value. */
  readonly isOptional?: boolean;
  /** Links and buttons in the cell take the `tabIndex`: Tab reaches those of one row. */
  readonly cell: (item: Item, tabIndex: number) => ReactNode;
}

interface ListSelection<Item> {
  readonly has: (item: Item) => boolean;
  readonly toggle: (item: Item) => void;
  /** Selects these entries instead of those of the last range. */
  readonly selectRange: (items: readonly Item[]) => void;
  /** The next range adds to the entries that are selected now. */
  readonly startRange: () => void;
  readonly areAllSelected: boolean;
  readonly areSomeSelected: boolean;
  readonly toggleAll: () => void;
}

export interface ListTableProps<Item> {
  readonly label: string;
  /** Undefined until the first entries have arrived. */
  readonly items: readonly Item[] | undefined;
  /** The first column identifies an entry. */
  readonly columns: readonly ListColumn<Item>[];
  readonly idOf: (item: Item) => string | number;
  /** Names an entry for its controls. */
  readonly nameOf: (item: Item) => string;
  /** The page of an entry. */
  readonly hrefOf?: (item: Item) => string;
  /** What opens below an entry. A click on the line then opens the details, and the name leads to the page. */
  readonly details?: (item: Item) => ReactNode;
  /** The items of the menu of an entry. */
  readonly menu: (item: Item) => ReactNode;
  readonly selection?: ListSelection<Item> | undefined;
  /** Whether an entry is no longer in use. */
  readonly isInactive?: (item: Item) => boolean;
}

const MIDDLE_BUTTON = 1;
/** Lines that stand for entries until the first ones have arrived. */
const skeletons = [1, 2, 3, 4, 5];
/** The track of the checkboxes, and of the menus. */
const CONTROL = "var(--control-column)";

/** A table with one line per entry, a menu for each, and the keys of the table of users. On phones, each entry is a card. */
export function ListTable<Item>(props: ListTableProps<Item>) {
  const { label, items = [], columns, idOf, nameOf, hrefOf, details, menu, selection } = props;
  const [, navigate] = useLocation();
  const id = useId();
  const body = useRef<HTMLTableSectionElement>(null);
  const [active, setActive] = useState(0);
  /** The id of the entry where a range of selected ones begins. */
  const anchor = useRef<string | number>(undefined);
  const [open, setOpen] = useState<ReadonlySet<string | number>>(new Set());
  const [target, setTarget] = useState<{ readonly item: Item; readonly anchor: MenuAnchor }>();
  const isLoading = props.items === undefined;
  const activeRow = Math.min(active, Math.max(0, items.length - 1));

  const findRow = (index: number) =>
    body.current?.querySelector<HTMLElement>(`:scope > tr[data-index="${index}"]`);
  const focusRow = (to: number) => {
    const index = Math.max(0, Math.min(items.length - 1, to));
    setActive(index);
    const row = findRow(index);
    row?.focus({ preventScroll: true });
    row?.scrollIntoView({ block: "nearest" });
    return index;
  };
  const select = (from: number, to: number, isRange: boolean) => {
    const start = items.findIndex((item) => idOf(item) === anchor.current);
    const first = isRange ? (start === -1 ? from : start) : to;
    const begin = items[first];
    anchor.current = begin && idOf(begin);
    if (isRange) selection?.selectRange(items.slice(Math.min(first, to), Math.max(first, to) + 1));
    else selection?.startRange();
  };
  const isNothingSelected = !selection?.areSomeSelected;
  useEffect(() => {
    if (isNothingSelected) anchor.current = undefined;
  }, [isNothingSelected]);
  const toggle = (item: Item) => {
    const next = new Set(open);
    if (!next.delete(idOf(item))) next.add(idOf(item));
    setOpen(next);
  };
  const openItem = (item: Item) => {
    if (details) toggle(item);
    else if (hrefOf) navigate(hrefOf(item));
  };
  const rowOf = ({ target }: SyntheticEvent) => {
    const element = target instanceof Element ? target.closest<HTMLElement>("tr") : null;
    const index = Number(element?.dataset.index ?? -1);
    return { index, element, item: items[index], isItself: element === target };
  };
  const click = (event: MouseEvent) => {
    const { item, element } = rowOf(event);
    if (item === undefined || !element || !(event.target instanceof Element)) return;
    const button = event.target.closest<HTMLElement>("[data-menu]");
    if (button) return setTarget({ item, anchor: { at: button, returnFocus: button } });
    if (event.target.closest("[data-toggle]")) return toggle(item);
    if (event.target.closest("a, button, label")) return;
    if (hrefOf && (event.ctrlKey || event.metaKey)) openInNewTab(hrefOf(item));
    else openItem(item);
  };
  const auxiliaryClick = (event: MouseEvent) => {
    const { item } = rowOf(event);
    const isLink = event.target instanceof Element && event.target.closest("a") !== null;
    if (item !== undefined && hrefOf && event.button === MIDDLE_BUTTON && !isLink) openInNewTab(hrefOf(item));
  };
  const openContextMenu = (event: MouseEvent) => {
    const { item, element } = rowOf(event);
    // With Shift, the browser's own menu.
    if (item === undefined || !element || event.shiftKey) return;
    event.preventDefault();
    setTarget({ item, anchor: { at: pointAt(event), returnFocus: element } });
  };
  const press = (event: KeyboardEvent<HTMLElement>) => {
    const { index, item, element, isItself } = rowOf(event);
    if (item === undefined || !element || !isItself || event.ctrlKey || event.metaKey || event.altKey) return;
    const step = rowSteps[event.key];
    if (step !== undefined) select(index, focusRow(index + step), event.shiftKey);
    else if (isMenuKey(event)) {
      const button = element.querySelector<HTMLElement>("[data-menu]");
      if (button) setTarget({ item, anchor: { at: button, returnFocus: element } });
    } else if (event.key === "Enter") openItem(item);
    else if (event.key === " " && selection) {
      selection.toggle(item);
      anchor.current = idOf(item);
    } else return;
    event.preventDefault();
  };
  const hadFocus = useRef(false);
  useEffect(() => {
    // The row with the focus has gone.
    if (hadFocus.current && document.activeElement === document.body) findRow(activeRow)?.focus();
  });

  const tracks = (shown: readonly ListColumn<Item>[]) =>
    [selection && CONTROL, ...shown.map(({ width }) => width ?? "max-content"), CONTROL]
      .filter((track) => track !== undefined)
      .join(" ");
  const style = {
    "--columns": tracks(columns),
    "--narrow-columns": tracks(columns.filter(({ isOptional }) => !isOptional)),
  } as CSSProperties;
  // Cards give the columns that grow a line of their own.
  const attributesOf = ({ width, isOptional }: ListColumn<Item>) => ({
    "data-wide": width?.includes("fr") || undefined,
    "data-optional": isOptional || undefined,
  });
  return (
    <div className="list" style={style}>
      {isLoading && (
        <p className="hidden" role="status">
          {texts.loading}
        </p>
      )}
      <table
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: its rows are focusable, which makes it a grid.
        role="grid"
        aria-label={label}
        aria-busy={isLoading}
        aria-multiselectable={selection !== undefined || undefined}
      >
        <thead>
          <tr className="list-line">
            {selection && (
              <th className="list-check">
                <label>
                  <input
                    type="checkbox"
                    aria-label={texts.selectAll}
                    checked={selection.areAllSelected}
                    ref={(input) => {
                      if (input) input.indeterminate = selection.areSomeSelected && !selection.areAllSelected;
                    }}
                    onChange={selection.toggleAll}
                  />
                  <span aria-hidden className="list-check-text">
                    {texts.selectAll}
                  </span>
                </label>
              </th>
            )}
            {columns.map((column) => (
              <th key={column.title} scope="col" {...attributesOf(column)}>
                {column.title}
              </th>
            ))}
            <td className="list-more" />
          </tr>
        </thead>
        <tbody
          ref={body}
          onFocus={(event) => {
            hadFocus.current = true;
            const { index } = rowOf(event);
            if (index >= 0) setActive(index);
          }}
          onBlur={() => {
            hadFocus.current = false;
          }}
          onKeyDown={press}
          onClick={click}
          onAuxClick={auxiliaryClick}
          onContextMenu={openContextMenu}
        >
          {isLoading &&
            skeletons.map((line) => (
              <tr key={line} className="list-line">
                {selection && <td className="list-check" />}
                {columns.map((column) => (
                  <td key={column.title} {...attributesOf(column)}>
                    <span className="skeleton" />
                  </td>
                ))}
                <td className="list-more" />
              </tr>
            ))}
          {items.map((item, index) => {
            const itemId = idOf(item);
            const name = nameOf(item);
            const isOpen = open.has(itemId);
            // Only one row is in the tab order. The arrow keys reach the others.
            const tabIndex = index === activeRow ? 0 : -1;
            return (
              <Fragment key={itemId}>
                <tr
                  className={props.isInactive?.(item) ? "list-line inactive" : "list-line"}
                  data-index={index}
                  data-opens={hrefOf || details ? "" : undefined}
                  tabIndex={tabIndex}
                  aria-selected={selection?.has(item)}
                >
                  {selection && (
                    <td className="list-check">
                      <label>
                        <input
                          type="checkbox"
                          tabIndex={-1}
                          aria-label={texts.select(name)}
                          checked={selection.has(item)}
                          onChange={() => selection.toggle(item)}
                        />
                      </label>
                    </td>
                  )}
                  {columns.map((column, place) => (
                    <td
                      key={column.title}
                      className={place === 0 ? "list-main" : undefined}
                      data-label={place === 0 ? undefined : column.title}
                      {...attributesOf(column)}
                    >
                      {place === 0 && details && (
                        <button
                          type="button"
                          className="list-toggle"
                          data-toggle
                          aria-label={texts.details(name)}
                          aria-expanded={isOpen}
                          aria-controls={isOpen ? `${id}-${itemId}` : undefined}
                          tabIndex={tabIndex}
                        >
                          <ChevronRight aria-hidden />
                        </button>
                      )}
                      <div className="list-value">
                        {place === 0 && hrefOf ? (
                          <Link
                            href={hrefOf(item)}
                            className="entry-link list-link"
                            tabIndex={details ? tabIndex : -1}
                          >
                            {column.cell(item, tabIndex)}
                          </Link>
                        ) : (
                          column.cell(item, tabIndex)
                        )}
                      </div>
                    </td>
                  ))}
                  <td className="list-more">
                    <Button
                      kind="quiet"
                      className="small"
                      icon={<Ellipsis aria-hidden />}
                      aria-haspopup="menu"
                      aria-label={rowMenu.label(name)}
                      tabIndex={tabIndex}
                      data-menu
                    />
                  </td>
                </tr>
                {isOpen && details && (
                  <tr className="list-details" ref={keepInView}>
                    <td id={`${id}-${itemId}`} colSpan={columns.length + (selection ? 2 : 1)}>
                      {details(item)}
                    </td>
                  </tr>
                )}
              </Fragment>
            );
          })}
        </tbody>
      </table>
      <AnchoredMenu anchor={target?.anchor} onClose={() => setTarget(undefined)}>
        {target && menu(target.item)}
      </AnchoredMenu>
    </div>
  );
}

/** Scrolls to the details while they are loaded, until the person does something else. */
function keepInView(details: HTMLElement | null): (() => void) | undefined {
  if (!details) return undefined;
  const observer = new ResizeObserver(() => details.scrollIntoView({ block: "nearest" }));
  const stop = () => observer.disconnect();
  const options = { once: true, capture: true };
  for (const type of ["keydown", "pointerdown", "wheel"]) addEventListener(type, stop, options);
  observer.observe(details);
  return () => {
    stop();
    for (const type of ["keydown", "pointerdown", "wheel"]) removeEventListener(type, stop, options);
  };
}
