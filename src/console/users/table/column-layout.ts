import { useEffect, useMemo, useState } from "react";
import { loadJsonPreference, savePreference } from "../../lib/preferences.ts";
import type { FieldInfo } from "../field-info.ts";
import { useLinkedColumns } from "../list-params.ts";
import { widthLimits } from "./column-widths.ts";

/** Number of custom fields shown by default. */
const DEFAULT_CUSTOM_COLUMNS = 3;
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
  /** Undefined: as wide as the content. */
  readonly resize: (field: string, width: number | undefined) => void;
  readonly reset: () => void;
  /** The order in which the table shows these columns. */
  readonly arrange: (fields: readonly string[]) => string[];
  /** Whether the URL names the columns. */
  readonly isLinked: boolean;
}

/** One column to the left or to the right. */
export type Step = -1 | 1;

export function useColumnLayout(customFields: readonly FieldInfo[] | undefined): ColumnLayout {
  const [linked, setLinked] = useLinkedColumns();
  const [remembered, setRemembered] = useStored(keys.chosen, parseNames);
  const [initial, setInitial] = useStored(keys.initial, parseNames);
  const [storedPins, setPins] = useStored(keys.pinned, parseNames);
  const [storedWidths, setWidths] = useStored(keys.widths, parseWidths);
  // Choose the default once for a directory: columns that come and go are hard to read.
  useEffect(() => {
    if (!initial && customFields && customFields.length > 0) setInitial(defaultColumns(customFields));
  }, [initial, customFields, setInitial]);
  const pinned = useMemo(() => new Set(storedPins?.slice(0, MAX_PINNED)), [storedPins]);
  const widths = useMemo(() => new Map(storedWidths), [storedWidths]);
  const shown = useMemo(
    () => arrange(linked ?? remembered ?? initial ?? defaultColumns([]), pinned),
    [linked, remembered, initial, pinned],
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
      if (width === undefined) next.delete(field);
      else next.set(field, limitWidth(width));
      setWidths([...next]);
    },
    reset() {
      for (const forget of [setRemembered, setInitial, setPins, setWidths]) forget(undefined);
      if (linked) setLinked(undefined);
    },
    arrange: (fields) => arrange(fields, pinned),
    isLinked: linked !== undefined,
  };
}

function limitWidth(width: number): number {
  return Math.round(Math.min(Math.max(width, widthLimits.min), widthLimits.max));
}

function defaultColumns(customFields: readonly FieldInfo[]): string[] {
  return [
    "name",
    "email",
    ...customFields.slice(0, DEFAULT_CUSTOM_COLUMNS).map(({ name }) => name),
    "createdAt",
  ];
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
  return [value, store] as const;
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
