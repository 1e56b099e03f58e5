/**
 * Of the types that there are, the one that an Accept header likes best, the first among equals; undefined if none. Any
 * but the first has to be named outright: nobody is to get everybody for an asterisk.
 */
export function negotiateType(accept: string | null, types: readonly string[]): string | undefined {
  if (accept === null || accept === "*/*" || accept.trim() === "") return types[0];
  let best = { type: types[0], quality: 0, rank: 0 };
  for (const type of types) {
    const { quality, rank } = likingOf(accept, type);
    if (type !== types[0] && rank < NAMED) continue;
    // Of what is liked as much, what is named comes before what an asterisk lets through.
    const better = quality > best.quality || (quality === best.quality && rank > best.rank);
    if (quality > 0 && better) best = { type, quality, rank };
  }
  return best.quality > 0 ? best.type : undefined;
}

const NAMED = 3;

function likingOf(accept: string, type: string): { rank: number; quality: number } {
  const family = `${type.split("/")[0]}/*`;
  let best = { rank: 0, quality: 0 };
  for (const range of accept.split(",")) {
    const [name = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
    const rank = name === type ? NAMED : name === family ? 2 : name === "*/*" ? 1 : 0;
    const quality = Number(parameters.find((parameter) => parameter.startsWith("q="))?.slice(2) ?? 1);
    if (rank > best.rank) best = { rank, quality };
  }
  return best;
}
