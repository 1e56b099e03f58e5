// Days of statistics are calendar days in UTC.
const days = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", timeZone: "UTC" });

/** 2026-11-16 as "16 Nov". */
export function formatDay(date: string): string {
  return days.format(new Date(date));
}

export function formatWeek(first: string, last: string): string {
  return days.formatRange(new Date(first), new Date(last));
}
