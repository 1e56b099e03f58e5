const SECOND = 1000;
const units = new Map([
  ["s", SECOND],
  ["m", 60 * SECOND],
  ["h", 3600 * SECOND],
  ["d", 86_400 * SECOND],
]);

/** Parses 90s, 15m, 1h or 30d into milliseconds. Throws a `RangeError`. */
export function parseDuration(text: string): number {
  const [, count, unit = ""] = /^(\d{1,9})([a-z])$/.exec(text) ?? [];
  const ms = units.get(unit);
  if (count === undefined || ms === undefined) throw new RangeError(text);
  return Number(count) * ms;
}

/** Formats milliseconds, rounded, in the largest unit of which there are at least two. */
export function describeDuration(ms: number): string {
  const [unit, size] = [...units].findLast(([, size]) => ms >= 2 * size) ?? ["s", SECOND];
  return `${Math.round(ms / size)}${unit}`;
}
