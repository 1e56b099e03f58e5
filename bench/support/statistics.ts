/** The smallest value that is at least as large as this share of the values. NaN without values. */
export function percentile(values: Iterable<number>, share: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

/** The median: the middle value, or the mean of the two middle values. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.slice((sorted.length - 1) >> 1, (sorted.length >> 1) + 1);
  return middle.reduce((sum, value) => sum + value, 0) / middle.length;
}

/** The mean of the lowest third: other work on the machine only adds to a measurement. */
export function meanOfLowest(values: readonly number[]): number {
  const lowest = [...values].sort((a, b) => a - b).slice(0, Math.ceil(values.length / 3));
  return lowest.reduce((sum, value) => sum + value, 0) / lowest.length;
}

/** A figure and the interval that contains the true one with a probability of 95 %. */
export interface Estimate {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/**
 * Estimates the centre of at least six independent values: the median of the means of all pairs, with the interval of Wilcoxon's
 * signed-rank test (Hodges and Lehmann). One value that is far off hardly changes it.
 */
export function estimateCentre(values: readonly number[]): Estimate {
  const means = values
    .flatMap((a, index) => values.slice(index).map((b) => (a + b) / 2))
    .sort((a, b) => a - b);
  const outside = lowSignedRank(values.length);
  return {
    value: median(means),
    low: means[outside] ?? Number.NEGATIVE_INFINITY,
    high: means[means.length - 1 - outside] ?? Number.POSITIVE_INFINITY,
  };
}

/** How many of the lowest means of pairs are outside of the interval: at most 2.5 % of all choices of ranks have a lower sum. */
function lowSignedRank(count: number): number {
  if (count < 6) throw new RangeError("An interval of 95 % needs at least 6 values.");
  // The number of choices of the ranks 1 to `count` with each sum.
  const choices = [1, ...Array.from({ length: (count * (count + 1)) / 2 }, () => 0)];
  for (let rank = 1; rank <= count; rank++)
    for (let sum = choices.length - 1; sum >= rank; sum--)
      choices[sum] = (choices[sum] ?? 0) + (choices[sum - rank] ?? 0);
  let [below, sum] = [0, 0];
  while (below + (choices[sum] ?? 0) <= 0.025 * 2 ** count) below += choices[sum++] ?? 0;
  return sum - 1;
}
