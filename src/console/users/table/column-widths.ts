import { useMemo, useState } from "react";
import type { User } from "../../../client/index.ts";
import { formatRelativeTime } from "../../texts/format.ts";
import { users as texts } from "../../texts/index.ts";
import { type FieldInfo, fieldKind, useFieldLabel } from "../field-info.ts";
import { formatValue, getFieldValue } from "../fields.ts";
import { formatFigure, isDateTime, MAX_CHIPS } from "./cell-format.ts";

/** Widths in pixels. */
export const widthLimits = { min: 64, max: 640 } as const;
const MAX_CONTENT = { name: 240, email: 250, other: 200 } as const;
const CELL_PADDING = 24;
/** Room for the arrow of the sort order and the handle. */
const HEADER_EXTRA = 24;
const AVATAR = 40;
const ICON = 20;
const CHIP = { padding: 22, max: 120 } as const;
/** Rows and characters that decide on a width. */
const SAMPLE_ROWS = 50;
const SAMPLE_CHARACTERS = 80;

/** Widths by field. Columns only grow while the page is open: widths that change with each search are hard to read. */
const measured = new Map<string, number>();
let context: CanvasRenderingContext2D | null | undefined;

/** The width of each column, from its label and the first users of the list. */
export function useContentWidths(
  fields: readonly string[],
  users: readonly User[],
): ReadonlyMap<string, number> {
  const labelOf = useFieldLabel();
  // More users must not move the columns while a person scrolls.
  const [sample, setSample] = useState(users.slice(0, SAMPLE_ROWS));
  if (sample.length === 0 && users.length > 0) setSample(users.slice(0, SAMPLE_ROWS));
  return useMemo(() => {
    for (const field of fields) {
      measured.set(field, Math.max(measured.get(field) ?? 0, measureColumn(field, labelOf(field), sample)));
    }
    return new Map(measured);
  }, [fields, sample, labelOf]);
}

function measureColumn(field: string, label: string, users: readonly User[]): number {
  const cells = users.map((user) => measureCell(field, user));
  const limit = field === "name" || field === "email" ? MAX_CONTENT[field] : MAX_CONTENT.other;
  const content = Math.max(measureText(label) + HEADER_EXTRA, ...cells) + CELL_PADDING;
  return Math.ceil(Math.min(Math.max(content, widthLimits.min), limit));
}

function measureCell(field: string, user: User): number {
  const value = getFieldValue(user, field);
  if (field === "name") return AVATAR + measureText(user.name);
  if (field === "email" && value === undefined) return measureText(texts.noEmail);
  if (typeof value === "boolean") return ICON;
  if (typeof value === "number") return measureText(formatFigure(field, value));
  if (typeof value === "string" && isDateTime(value)) return measureText(formatRelativeTime(value));
  if (!Array.isArray(value)) return measureText(formatValue(value));
  const chips = value.slice(0, MAX_CHIPS).map((element) => measureText(formatValue(element)));
  const more = value.length > MAX_CHIPS ? ICON : 0;
  return chips.reduce((sum, chip) => sum + Math.min(chip + CHIP.padding, CHIP.max), more);
}

function measureText(text: string): number {
  if (context === undefined) {
    context = document.createElement("canvas").getContext("2d");
    const { fontSize, fontFamily } = getComputedStyle(document.documentElement);
    if (context) context.font = `500 ${fontSize} ${fontFamily}`;
  }
  return context?.measureText(text.slice(0, SAMPLE_CHARACTERS)).width ?? 0;
}

/** Whether the column has numbers, which are aligned at their end. */
export function isNumberColumn(field: string, customFields: readonly FieldInfo[] | undefined): boolean {
  const types = customFields?.find(({ name }) => name === field)?.types;
  return fieldKind(field, types) === "number";
}
