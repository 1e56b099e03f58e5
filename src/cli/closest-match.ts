/** More than this and it is another word. */
const MOST = 2;

/** The word that was probably meant, if one is near enough. */
export function closestMatch(word: string, words: readonly string[]): string | undefined {
  const [best] = words
    .map((candidate) => ({ candidate, apart: distance(word.toLowerCase(), candidate.toLowerCase(), MOST) }))
    .sort((a, b) => a.apart - b.apart);
  return best && best.apart <= MOST ? best.candidate : undefined;
}

/** How many letters have to be added, left out, replaced or swapped with the next; of more than `most`, one more. */
function distance(a: string, b: string, most: number): number {
  if (most < 0 || Math.abs(a.length - b.length) > most) return most + 1;
  if (a === "" || b === "") return a.length + b.length;
  const [first, second] = [a.slice(1), b.slice(1)];
  if (a[0] === b[0]) return distance(first, second, most);
  const swapped = a[0] === b[1] && a[1] === b[0] ? [distance(a.slice(2), b.slice(2), most - 1)] : [];
  const others = [
    [first, second],
    [first, b],
    [a, second],
  ] as const;
  return 1 + Math.min(...others.map(([one, other]) => distance(one, other, most - 1)), ...swapped);
}
