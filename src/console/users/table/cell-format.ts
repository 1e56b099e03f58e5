import { formatNumber } from "../../texts/format.ts";

/** Elements of a list that a cell shows. */
export const MAX_CHIPS = 3;
const DATE_TIME = /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)$/;

export const isDateTime = (text: string) => DATE_TIME.test(text);

/** A number with separators. Ids have none: people copy them. */
export function formatFigure(field: string, value: number): string {
  return field === "id" ? String(value) : formatNumber(value);
}
