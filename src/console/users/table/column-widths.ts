import { useLayoutEffect, useMemo } from "react";
import type { FieldType, User } from "../../../client/index.ts";
import { Observable, useObservable } from "../../lib/observable.ts";
import { loadJsonPreference, savePreference } from "../../lib/preferences.ts";
import { formatRelativeTime } from "../../texts/format.ts";
import { users as texts } from "../../texts/index.ts";
import { fieldKind, typesOf, useFieldLabel, useFields, useSpecs } from "../field-info.ts";
import { formatValue, getFieldValue } from "../fields.ts";
import { formatFigure, isDateTime, MAX_CHIPS } from "./cell-format.ts";

/** Widths in pixels. */
const widthLimits = { min: 64, max: 640 } as const;
const MAX_CONTENT = { name: 240, email: 250, other: 200 } as const;
const CELL_PADDING = 24;
/** Room for the arrow of the sort order and the handle. */
const HEADER_EXTRA = 24;
const AVATAR = 40;
const ICON = 20;
const CHIP = { padding: 22, max: 120 } as const;
/** Rows and characters that decide on a width. */
const SAMPLE_ROWS = 200;
const SAMPLE_CHARACTERS = 80;
/** Widths of content in pixels while no user has a value. */
const EXPECTED = { text: 120, date: 90, number: 48, boolean: ICON, list: 120, object: 120 } as const;

/** Ages of a time in milliseconds at which its text is long: 59 minutes, 29 days, and 31 days, when it is a date. */
const LONG_AGES = [3_540_000, 2_505_600_000, 2_678_400_000];
let context: CanvasRenderingContext2D | null | undefined;

const KEY = "roster-measured-widths";
/** The browser remembers the widths of so many fields, those that were measured last. */
const MAX_REMEMBERED = 200;
/** The columns by field. They stay when the content changes: columns that move with each search are hard to read. */
const measured = new Observable<ReadonlyMap<string, MeasuredColumn>>(
  new Map(parseColumns(loadJsonPreference(KEY))),
);

const none: ReadonlyMap<string, MeasuredColumn> = new Map();

interface MeasuredColumn {
  /** In pixels. */
  readonly width: number;
  /** Whether its values are numbers, which are aligned at their end. */
  readonly isNumber: boolean;
}

/**
 * The columns of these fields. The label and the first users with which a column is shown decide on its width once; until there are
 * users, it is a guess. Whether it has numbers is seen in the same users, until the types of all users have arrived.
 */
export function useMeasuredColumns(
  fields: readonly string[],
  users: readonly User[],
): ReadonlyMap<string, MeasuredColumn> {
  const labelOf = useFieldLabel();
  const areLabelsKnown = useSpecs() !== undefined;
  const customFields = useFields();
  const types = useMemo(() => new Map(customFields?.map((info) => [info.name, info.types])), [customFields]);
  const known = useObservable(measured);
  const added = useMemo(() => {
    const unknown = fields.filter((field) => !known.has(field));
    if (unknown.length === 0) return none;
    const sample = users.slice(0, SAMPLE_ROWS);
    return new Map(
      unknown.map((field) => {
        const kind = fieldKind(field, types.get(field) ?? typesIn(sample, field));
        const content = { field, label: labelOf(field), users: sample, expected: EXPECTED[kind] };
        return [field, { width: measureColumn(content), isNumber: kind === "number" }];
      }),
    );
  }, [fields, users, types, known, labelOf]);
  const isDecided = users.length > 0 && areLabelsKnown;
  useLayoutEffect(() => {
    if (isDecided && added.size > 0) remember(new Map([...measured.get(), ...added]));
  }, [isDecided, added]);
  return useMemo(() => {
    const columns = [...known, ...added].map(([field, column]): [string, MeasuredColumn] => {
      const ofAll = types.get(field);
      return [field, ofAll ? { ...column, isNumber: fieldKind(field, ofAll) === "number" } : column];
    });
    return new Map(columns);
  }, [known, added, types]);
}

function typesIn(users: readonly User[], field: string): FieldType[] {
  return typesOf(users.map((user) => getFieldValue(user, field)).filter((value) => value !== undefined));
}

/** Forgets the widths of these columns, or of all: they are measured again. */
export function forgetMeasuredWidths(fields: readonly string[] = [...measured.get().keys()]): void {
  const forgotten = new Set(fields);
  remember(new Map([...measured.get()].filter(([field]) => !forgotten.has(field))));
}

function remember(columns: ReadonlyMap<string, MeasuredColumn>): void {
  const recent = [...columns].slice(-MAX_REMEMBERED);
  savePreference(KEY, JSON.stringify(recent.map(([field, { width, isNumber }]) => [field, width, isNumber])));
  measured.set(columns);
}

function parseColumns(stored: unknown): [string, MeasuredColumn][] {
  if (!Array.isArray(stored)) return [];
  return stored.flatMap((entry): [string, MeasuredColumn][] => {
    if (!Array.isArray(entry)) return [];
    const [field, width, isNumber]: unknown[] = entry;
    if (typeof field !== "string" || typeof width !== "number") return [];
    return [[field, { width: limitWidth(width), isNumber: isNumber === true }]];
  });
}

export function limitWidth(width: number): number {
  return Math.round(Math.min(Math.max(width, widthLimits.min), widthLimits.max));
}

interface ColumnContent {
  readonly field: string;
  readonly label: string;
  readonly users: readonly User[];
  /** The width of the content in pixels if no user has a value. */
  readonly expected: number;
}

function measureColumn({ field, label, users, expected }: ColumnContent): number {
  const cells = users.map((user) => measureCell(field, user));
  const content = Math.max(...cells) > 0 ? Math.max(...cells) : expected;
  const limit = field === "name" || field === "email" ? MAX_CONTENT[field] : MAX_CONTENT.other;
  const width = Math.max(measureText(label) + HEADER_EXTRA, content) + CELL_PADDING;
  return Math.ceil(Math.min(Math.max(width, widthLimits.min), limit));
}

function measureCell(field: string, user: User): number {
  const value = getFieldValue(user, field);
  if (field === "name") return AVATAR + measureText(user.name);
  if (field === "email" && value === undefined) return measureText(texts.noEmail);
  if (typeof value === "boolean") return ICON;
  if (typeof value === "number") return measureText(formatFigure(field, value));
  if (typeof value === "string" && isDateTime(value)) return measureTime(value);
  if (!Array.isArray(value)) return measureText(formatValue(value));
  const chips = value.slice(0, MAX_CHIPS).map((element) => measureText(formatValue(element)));
  const more = value.length > MAX_CHIPS ? ICON : 0;
  return chips.reduce((sum, chip) => sum + Math.min(chip + CHIP.padding, CHIP.max), more);
}

/** The width that fits while the time gets older. */
function measureTime(iso: string): number {
  const ages = LONG_AGES.map((age) => formatRelativeTime(iso, Date.parse(iso) + age));
  return Math.max(...ages.map(measureText));
}

function measureText(text: string): number {
  if (context === undefined) {
    context = document.createElement("canvas").getContext("2d");
    const { fontSize, fontFamily } = getComputedStyle(document.documentElement);
    if (context) context.font = `500 ${fontSize} ${fontFamily}`;
  }
  return context?.measureText(text.slice(0, SAMPLE_CHARACTERS)).width ?? 0;
}
