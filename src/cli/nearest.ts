/** The word that was probably meant, if one is near enough. */
export function nearest(word: string, words: readonly string[]): string | undefined {
  const [best] = words
    .map((candidate) => ({ candidate, apart: distance(word.toLowerCase(), candidate) }))
    .sort((a, b) => a.apart - b.apart);
  return best && best.apart <= 2 ? best.candidate : undefined;
}

/** How many letters have to be added, left out, replaced or swapped with the next. */
function distance(a: string, b: string): number {
  if (a === "" || b === "") return a.length + b.length;
  const [first, second] = [a.slice(1), b.slice(1)];
  if (a[0] === b[0]) return distance(first, second);
  if (Math.abs(a.length - b.length) > 2) return 3;
  const swapped = a[0] === b[1] && a[1] === b[0] ? [distance(a.slice(2), b.slice(2))] : [];
  return 1 + Math.min(distance(first, second), distance(first, b), distance(a, second), ...swapped);
}
