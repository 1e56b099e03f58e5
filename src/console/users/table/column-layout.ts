import { useEffect, useMemo, useState } from "react";
import type { User } from "../../../client/index.ts";
import { loadJsonPreference, savePreference } from "../../lib/preferences.ts";
import { useSpecs } from "../field-info.ts";
import { type Filters, GROUPS, readFilters } from "../filters/condition.ts";
import { isFiltered, type ListParams, useLinkedColumns } from "../list-params.ts";
import { forgetMeasuredWidths, limitWidth } from "./column-widths.ts";
import { chooseCustomColumns } from "./default-columns.ts";

/** Pinned columns besides the name: more would leave no room for the others. */
const MAX_PINNED = 2;
const keys = {
  chosen: "roster-columns",
  initial: "roster-default-columns",
  pinned: "roster-pinned-columns",
  widths: "roster-column-widths",
} as const;

/**
 * Which columns the table shows, in which order and width. The browser remembers it. Columns in the URL come first; while there are
 * any, changes of columns change the URL.
 */
export interface ColumnLayout {
  /** The name, the pinned columns, then the others. */
  readonly shown: readonly string[];
  readonly pinned: ReadonlySet<string>;
  /** Widths in pixels that a person chose. The content decides on the others. */
  readonly widths: ReadonlyMap<string, number>;
  /** Shows or hides a column. A new column appears at its place in `fields`. */
  readonly toggle: (field: string, fields: readonly string[]) => void;
  readonly canMove: (field: string, step: Step) => boolean;
  readonly move: (field: string, step: Step) => void;
  /** Whether a column can take the place of another one. Pinned columns stay beside the name. */
  readonly canPlace: (field: string, target: string) => boolean;
  readonly place: (field: string, target: string) => void;
  readonly canPin: (field: string) => boolean;
  readonly togglePin: (field: string) => void;
  /** Undefined: as wide as the content, which is measured again. */
  readonly resize: (field: string, width: number | undefined) => void;
  readonly reset: () => void;
  /** The order in which the table shows these columns. */
  readonly arrange: (fields: readonly string[]) => string[];
  /** Whether the URL names the columns. */
  readonly isLinked: boolean;
  /** Whether the columns stay as they are. On the first visit, the first users decide on them. */
  readonly isKnown: boolean;
}

interface LayoutOptions {
  /** The users of the list that are loaded. Undefined until the first ones have arrived. */
  readonly users: readonly User[] | undefined;
  /** The fields that the list is filtered by are columns, too, while nobody has chosen columns. */
  readonly search: ListParams;
}

/** One column to the left or to the right. */
export type Step = -1 | 1;

export function useColumnLayout({ users, search }: LayoutOptions): ColumnLayout {
  const filtered = useMemo(() => filteredFields(search), [search]);
  const [linked, setLinked] = useLinkedColumns();
  const [remembered, setRemembered] = useStored(keys.chosen, parseNames);
  const [initial, storeInitial, setInitial] = useStored(keys.initial, parseNames);
  const [storedPins, setPins] = useStored(keys.pinned, parseNames);
  const [storedWidths, setWidths] = useStored(keys.widths, parseWidths);
  const specs = useSpecs();
  const custom = useMemo(
    () => (initial || !specs ? [] : chooseCustomColumns(specs, users ?? [])),
    [initial, specs, users],
  );
  const areAny = !isFiltered(search) && search.membersOf === undefined;
  // Choose the default once for a directory: columns that come and go are hard to read. Users that a search finds decide on it until
  // the page is closed.
  useEffect(() => {
    if (custom.length > 0) (areAny ? storeInitial : setInitial)(withCoreFields(custom));
  }, [custom, areAny, storeInitial, setInitial]);
  const pinned = useMemo(() => new Set(storedPins?.slice(0, MAX_PINNED)), [storedPins]);
  const widths = useMemo(() => new Map(storedWidths), [storedWidths]);
  const shown = useMemo(
    () => arrange(linked ?? remembered ?? addFiltered(initial ?? withCoreFields(custom), filtered), pinned),
    [linked, remembered, initial, custom, filtered, pinned],
  );
  const setChosen = linked ? setLinked : setRemembered;
  const canPlace = (field: string, target: string) =>
    field !== target && field !== "name" && target !== "name" && pinned.has(field) === pinned.has(target);
  const place = (field: string, target: string) => {
    if (!canPlace(field, target)) return;
    const others = shown.filter((other) => other !== field);
    setChosen(others.toSpliced(shown.indexOf(target), 0, field));
  };
  const neighbourOf = (field: string, step: Step) => shown[shown.indexOf(field) + step] ?? field;
  const canPin = (field: string) => field !== "name" && (pinned.has(field) || pinned.size < MAX_PINNED);
  return {
    shown,
    pinned,
    widths,
    toggle(field, fields) {
      if (shown.includes(field)) return setChosen(shown.filter((other) => other !== field));
      const later = new Set(fields.slice(fields.indexOf(field)));
      const index = shown.findIndex((other) => later.has(other));
      setChosen(shown.toSpliced(index < 0 ? shown.length : index, 0, field));
    },
    canMove: (field, step) => canPlace(field, neighbourOf(field, step)),
    move: (field, step) => place(field, neighbourOf(field, step)),
    canPlace,
    place,
    canPin,
    togglePin(field) {
      if (!canPin(field)) return;
      const others = [...pinned].filter((other) => other !== field);
      setPins(pinned.has(field) ? others : [...others, field]);
    },
    resize(field, width) {
      const next = new Map(widths);
      if (width === undefined) {
        next.delete(field);
        forgetMeasuredWidths([field]);
      } else next.set(field, limitWidth(width));
      setWidths([...next]);
    },
    reset() {
      for (const forget of [setRemembered, storeInitial, setPins, setWidths]) forget(undefined);
      forgetMeasuredWidths();
      if (linked) setLinked(undefined);
    },
    arrange: (fields) => arrange(fields, pinned),
    isLinked: linked !== undefined,
    isKnown: (linked ?? remembered ?? initial) !== undefined || (specs !== undefined && users !== undefined),
  };
}

/** The fields that a list is filtered by. Those of an expression that is more than conditions are left out. */
export function filteredFields(filters: Filters): string[] {
  const paths = readFilters(filters).conditions.map(({ field }) => field);
  return [...new Set(paths.map((path) => path.split(".")[0] ?? path))].filter((field) => field !== GROUPS);
}

/** The last of the default columns. */
const LAST = "createdAt";

function withCoreFields(customFields: readonly string[]): string[] {
  return ["name", "email", ...customFields, LAST];
}

function addFiltered(columns: readonly string[], filtered: readonly string[]): string[] {
  const added = filtered.filter((field) => !columns.includes(field));
  const end = columns.indexOf(LAST);
  return columns.toSpliced(end < 0 ? columns.length : end, 0, ...added);
}

/** The name is always visible and first: it identifies the row. */
function arrange(fields: readonly string[], pinned: ReadonlySet<string>): string[] {
  const isPinned = (field: string) => pinned.has(field);
  return [...new Set(["name", ...fields.filter(isPinned), ...fields.filter((field) => !isPinned(field))])];
}

/** A value in the browser's storage. Undefined: none, or an invalid one. */
function useStored<Value>(key: string, parse: (stored: unknown) => Value | undefined) {
  const [value, setValue] = useState(() => parse(loadJsonPreference(key)));
  const store = useMemo(
    () => (next: Value | undefined) => {
      savePreference(key, next && JSON.stringify(next));
      setValue(next);
    },
    [key],
  );
  return [value, store, setValue] as const;
}

function parseNames(stored: unknown): string[] | undefined {
  return Array.isArray(stored) ? stored.filter((name) => typeof name === "string") : undefined;
}

function parseWidths(stored: unknown): [string, number][] | undefined {
  if (!Array.isArray(stored)) return undefined;
  return stored.flatMap((entry): [string, number][] => {
    if (!Array.isArray(entry)) return [];
    const [field, width]: unknown[] = entry;
    return typeof field === "string" && typeof width === "number" ? [[field, limitWidth(width)]] : [];
  });
}
