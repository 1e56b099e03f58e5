// Numbers, dates, sizes and durations in the browser's locale.

const numbers = new Intl.NumberFormat();
const dates = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });
const calendarDays = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeZone: "UTC" });
const dateTimes = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const hours = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", hour: "numeric" });
const times = new Intl.DateTimeFormat(undefined, { timeStyle: "short" });
const days = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "long" });
const daysOfYears = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "long", year: "numeric" });
const longDates = new Intl.DateTimeFormat(undefined, {
  weekday: "long",
  day: "numeric",
  month: "long",
  year: "numeric",
});
const percents = new Intl.NumberFormat(undefined, { style: "percent" });
const lists = new Intl.ListFormat("en");
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: "auto" });

export const formatNumber = (value: number) => numbers.format(value);
/** The progress from 0 to 1: "45%". Less than all is never 100%. */
export const formatPercent = (share: number) => percents.format(Math.floor(Math.min(share, 1) * 100) / 100);
/** A rounded share from 0 to 1: "67%". Only all is 100%, and only none is 0%. */
export function formatShare(share: number): string {
  if (share <= 0 || share >= 1) return percents.format(share <= 0 ? 0 : 1);
  return percents.format(Math.min(0.99, Math.max(0.01, share)));
}
export const formatUsers = (count: number) => (count === 1 ? "1 user" : `${formatNumber(count)} users`);
const formatDate = (iso: string) => dates.format(new Date(iso));
/** A date without a time, such as 2026-01-31: the same in every time zone. */
export const formatCalendarDay = (day: string) => calendarDays.format(new Date(day));
/** "a, b, and c". */
export const formatList = (texts: readonly string[]) => lists.format(texts);
export const formatDateTime = (iso: string) => dateTimes.format(new Date(iso));
/** "Jan 31, 2 PM". */
export const formatHour = (iso: string) => hours.format(new Date(iso));
export const formatTime = (iso: string) => times.format(new Date(iso));
/** "2:02 – 2:03 PM", or one time if both are in the same minute. */
export const formatTimeRange = (from: string, to: string) => times.formatRange(new Date(from), new Date(to));

/** "Today", "Yesterday", or the date with its weekday. */
export function formatDay(iso: string, now = new Date()): string {
  const date = new Date(iso);
  const days = Math.round((startOfDay(date) - startOfDay(now)) / 86_400_000);
  if (days !== 0 && days !== -1) return longDates.format(date);
  const text = relative.format(days, "day");
  return text.charAt(0).toLocaleUpperCase() + text.slice(1);
}

function startOfDay(date: Date): number {
  return new Date(date).setHours(0, 0, 0, 0);
}

const units = [
  ["second", 60],
  ["minute", 60],
  ["hour", 24],
  ["day", 30],
] as const;

/** "3 minutes ago" or "in 2 days". The date if it is more than 30 days away. */
export function formatRelativeTime(iso: string, now = Date.now()): string {
  let amount = (new Date(iso).getTime() - now) / 1000;
  for (const [unit, limit] of units) {
    if (Math.abs(amount) < limit) return relative.format(Math.round(amount), unit);
    amount /= limit;
  }
  return formatDate(iso);
}

const sizes = ["byte", "kilobyte", "megabyte", "gigabyte"] as const;

/** "16 December", with the year if it is another one. */
export function formatDayAndMonth(iso: string, now = new Date()): string {
  const date = new Date(iso);
  return (date.getFullYear() === now.getFullYear() ? days : daysOfYears).format(date);
}

/** "in 60 days": a number of days, however many. */
export function formatRelativeDays(iso: string, now = Date.now()): string {
  return relative.format(Math.round((new Date(iso).getTime() - now) / 86_400_000), "day");
}

/** A file size: "1.2 MB". */
export function formatSize(bytes: number): string {
  const step = Math.min(Math.max(0, Math.floor(Math.log10(bytes) / 3)), sizes.length - 1);
  const amount = bytes / 1000 ** step;
  return new Intl.NumberFormat(undefined, {
    style: "unit",
    unit: sizes[step] ?? "byte",
    unitDisplay: step === 0 ? "long" : "short",
    maximumFractionDigits: amount < 10 ? 1 : 0,
  }).format(amount);
}

const durations = [
  ["second", 90],
  ["minute", 90],
  ["hour", Number.POSITIVE_INFINITY],
] as const;

/** A rounded duration: "2 minutes". */
export function formatDuration(ms: number): string {
  let amount = ms / 1000;
  for (const [unit, limit] of durations) {
    if (amount < limit) {
      const rounded = Math.max(1, Math.round(amount));
      return new Intl.NumberFormat(undefined, { style: "unit", unit, unitDisplay: "long" }).format(rounded);
    }
    amount /= 60;
  }
  return "";
}

/** Cuts a long text after `max` characters, without splitting a surrogate pair. */
export function truncate(text: string, max = 200): string {
  return text.length > max ? `${[...text.slice(0, 2 * max)].slice(0, max).join("")}…` : text;
}
