/** The values at the bottom and at the top of a chart, and those of its lines, from the bottom. */
export interface Scale {
  readonly low: number;
  readonly high: number;
  readonly lines: readonly number[];
}

/** Distances between lines that are easy to read, up to this many. */
const MAX_STEPS = 4;

/** A scale of whole numbers that holds all values. `fromZero` begins at 0, which bars need. */
export function scaleOf(values: readonly number[], fromZero: boolean): Scale {
  const highest = Math.max(0, ...values);
  const lowest = fromZero ? 0 : Math.min(highest, ...values);
  const step = roundStep((highest - lowest) / MAX_STEPS);
  const low = Math.floor(lowest / step) * step;
  const high = Math.max(Math.ceil(highest / step) * step, low + step);
  const count = Math.round((high - low) / step);
  return { low, high, lines: Array.from({ length: count + 1 }, (_, index) => low + index * step) };
}

/** Where a value is between the bottom (0) and the top (1). */
export function positionOf({ low, high }: Scale, value: number): number {
  return (value - low) / (high - low);
}

/** 1, 2 or 5, times a power of 10: the smallest that is at least this. */
function roundStep(atLeast: number): number {
  if (atLeast <= 1) return 1;
  const power = 10 ** Math.floor(Math.log10(atLeast));
  return power * ([1, 2, 5].find((factor) => factor * power >= atLeast) ?? 10);
}
