const MAX_DISTANCE = 2;

/** The word with the smallest edit distance, if that is at max `MAX_DISTANCE`. */
export function closestMatch(word: string, words: readonly string[]): string | undefined {
  const [best] = words
    .map((candidate) => ({
      candidate,
      edits: distance(word.toLowerCase(), candidate.toLowerCase(), MAX_DISTANCE),
    }))
    .sort((a, b) => a.edits - b.edits);
  return best && best.edits <= MAX_DISTANCE ? best.candidate : undefined;
}

/** The number of letters to add, remove, replace or swap with the next, capped at `max + 1`. */
function distance(a: string, b: string, max: number): number {
  if (max < 0 || Math.abs(a.length - b.length) > max) return max + 1;
  if (a === "" || b === "") return a.length + b.length;
  const [first, second] = [a.slice(1), b.slice(1)];
  if (a[0] === b[0]) return distance(first, second, max);
  const swapped = a[0] === b[1] && a[1] === b[0] ? [distance(a.slice(2), b.slice(2), max - 1)] : [];
  const alternatives = [
    [first, second],
    [first, b],
    [a, second],
  ] as const;
  return 1 + Math.min(...alternatives.map(([left, right]) => distance(left, right, max - 1)), ...swapped);
}
