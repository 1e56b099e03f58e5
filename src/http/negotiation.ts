import { resolveMediaType } from "../contract/operation.ts";

/** Chooses the response type that the Accept header prefers, or undefined if it accepts none. The first type is the default. */
export function negotiateType(accept: string | null, types: readonly string[]): string | undefined {
  if (accept === null || accept === "*/*" || accept.trim() === "") return types[0];
  let best = { type: types[0], quality: 0, precision: 0 };
  for (const type of types) {
    const { quality, precision } = matchType(accept, type);
    const isBetter = quality > best.quality || (quality === best.quality && precision > best.precision);
    if (quality > 0 && isBetter) best = { type, quality, precision };
  }
  return best.quality > 0 ? best.type : undefined;
}

/** The quality of the most precise media range that matches the type. */
function matchType(accept: string, type: string): { precision: number; quality: number } {
  const subtypeWildcard = `${type.split("/")[0]}/*`;
  let best = { precision: 0, quality: 0 };
  for (const range of accept.split(",")) {
    const [rangeName = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
    const name = resolveMediaType(rangeName);
    const precision = name === type ? 3 : name === subtypeWildcard ? 2 : name === "*/*" ? 1 : 0;
    const quality = Number(parameters.find((parameter) => parameter.startsWith("q="))?.slice(2) ?? 1);
    if (precision > best.precision) best = { precision, quality };
  }
  return best;
}
