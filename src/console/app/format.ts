// Numbers and dates, as the reader's own locale writes them.

const numbers = new Intl.NumberFormat();
const days = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });
const moments = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: "auto" });

export const formatNumber = (value: number) => numbers.format(value);
export const formatDay = (iso: string) => days.format(new Date(iso));
export const formatMoment = (iso: string) => moments.format(new Date(iso));

const units = [
  ["second", 60],
  ["minute", 60],
  ["hour", 24],
  ["day", 30],
] as const;

/** "3 minutes ago", or the day where that is long ago or far off. */
export function formatAgo(iso: string, now = Date.now()): string {
  let amount = (new Date(iso).getTime() - now) / 1000;
  for (const [unit, many] of units) {
    if (Math.abs(amount) < many) return relative.format(Math.round(amount), unit);
    amount /= many;
  }
  return formatDay(iso);
}
