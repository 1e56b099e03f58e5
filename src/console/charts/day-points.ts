import { formatDay, formatWeek } from "./format-day.ts";

/** The values of one day or of one week. */
export interface ChartPoint {
  /** Like "16 Nov". */
  readonly label: string;
  /** One value for each series. */
  readonly values: readonly number[];
}

interface DayValues {
  /** Like 2026-11-16. */
  readonly date: string;
  readonly values: readonly number[];
}

/** Charts of more days have a point per week. */
const MAX_DAYS = 92;
const WEEK = 7;

/** A point per day, or per week if there are many days. `combine` makes one value of a week. */
export function toPoints(days: readonly DayValues[], combine: "sum" | "last"): ChartPoint[] {
  if (days.length <= MAX_DAYS) return days.map(({ date, values }) => ({ label: formatDay(date), values }));
  const points: ChartPoint[] = [];
  // The last week ends today.
  for (let end = days.length; end > 0; end -= WEEK) {
    const week = days.slice(Math.max(0, end - WEEK), end);
    const [first, last] = [week[0], week.at(-1)];
    if (!first || !last) break;
    const values =
      combine === "last"
        ? last.values
        : last.values.map((_, series) => week.reduce((sum, day) => sum + (day.values[series] ?? 0), 0));
    points.unshift({ label: formatWeek(first.date, last.date), values });
  }
  return points;
}
