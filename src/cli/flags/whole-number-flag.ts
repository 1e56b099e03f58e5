import type { Flag } from "../../config/flag.ts";

/** A flag whose value is a whole number between these two. */
export function wholeNumberFlag<const T extends Pick<Flag<number>, "about" | "form" | "default">>(
  flag: string,
  low: number,
  high: number,
  more: T,
) {
  const parse = (text: string) => {
    const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= low && value <= high)) throw new RangeError(text);
    return value;
  };
  return { flag, takes: `a whole number from ${low} to ${high}`, parse, ...more };
}
