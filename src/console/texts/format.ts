// Numbers, dates, sizes and times, as the reader's own locale writes them.

const numbers = new Intl.NumberFormat();
const days = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });
const moments = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: "auto" });

export const formatNumber = (value: number) => numbers.format(value);
const formatDate = (iso: string) => days.format(new Date(iso));
export const formatDateTime = (iso: string) => moments.format(new Date(iso));

const units = [
  ["second", 60],
  ["minute", 60],
  ["hour", 24],
  ["day", 30],
] as const;

/** "3 minutes ago", or the day where that is long ago or far off. */
export function formatRelativeTime(iso: string, now = Date.now()): string {
  let amount = (new Date(iso).getTime() - now) / 1000;
  for (const [unit, many] of units) {
    if (Math.abs(amount) < many) return relative.format(Math.round(amount), unit);
    amount /= many;
  }
  return formatDate(iso);
}

const sizes = ["byte", "kilobyte", "megabyte", "gigabyte"] as const;

/** How large a file is: "1.2 MB". */
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

const times = [
  ["second", 90],
  ["minute", 90],
  ["hour", Number.POSITIVE_INFINITY],
] as const;

/** Roughly: what is left is never known better. */
export function formatDuration(ms: number): string {
  let amount = ms / 1000;
  for (const [unit, most] of times) {
    if (amount < most) {
      const whole = Math.max(1, Math.round(amount));
      return new Intl.NumberFormat(undefined, { style: "unit", unit, unitDisplay: "long" }).format(whole);
    }
    amount /= 60;
  }
  return "";
}

/** As much of a text as is worth showing. */
export function truncate(text: string, most = 200): string {
  return text.length > most ? `${[...text.slice(0, 2 * most)].slice(0, most).join("")}…` : text;
}
