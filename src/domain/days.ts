const DAY_MS = 86_400_000;

/** The calendar day (UTC) of a time, like 2026-11-16. */
export function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

/** The calendar month of a day, like 2026-11. */
export function monthOfDay(day: string): string {
  return day.slice(0, 7);
}

let last: readonly string[] = [];

/** The last days up to the day of this time, oldest first. Keeps the last result: it is the same all day, and slow to format. */
export function lastDays(count: number, now: number): readonly string[] {
  if (last.length !== count || last.at(-1) !== dayOf(now)) {
    last = Array.from({ length: count }, (_, index) => dayOf(now - (count - 1 - index) * DAY_MS));
  }
  return last;
}
