import { mediaTypes, resolveMediaType } from "../../contract/operation.ts";

/** One media range of an Accept header, such as `text/*;q=0.5`. */
interface MediaRange {
  readonly name: string;
  readonly hasParameters: boolean;
  readonly quality: number;
}

interface Match {
  /** How precisely a range names the type; 0 if no range does. The most precise range decides (RFC 9110, 12.5.1). */
  readonly precision: number;
  readonly quality: number;
}

/**
 * Chooses the response type that the Accept header prefers, or undefined if it accepts none. The first type is the
 * default. A caller that accepts problem documents accepts the default: it waits for an error, which must not become 406.
 */
export function negotiateType(accept: string | null, types: readonly string[]): string | undefined {
  const [defaultType] = types;
  if (accept === null || accept === "*/*" || accept === defaultType || accept.trim() === "")
    return defaultType;
  const ranges = splitUnquoted(accept, ",").map(parseRange);
  let best: { type: string; match: Match } | undefined;
  for (const type of types) {
    const match = matchType(ranges, type);
    if (match.quality > 0 && (!best || isBetter(match, best.match))) best = { type, match };
  }
  if (best) return best.type;
  const isExcluded = defaultType === undefined || matchType(ranges, defaultType).precision > 0;
  const acceptsProblems = matchType(ranges, mediaTypes.problem).quality > 0;
  return !isExcluded && acceptsProblems ? defaultType : undefined;
}

function isBetter(a: Match, b: Match): boolean {
  return a.quality > b.quality || (a.quality === b.quality && a.precision > b.precision);
}

function matchType(ranges: readonly MediaRange[], type: string): Match {
  const anySubtype = `${type.split("/")[0]}/*`;
  let best: Match = { precision: 0, quality: 0 };
  for (const { name, hasParameters, quality } of ranges) {
    const isExact = name === type;
    const precision = isExact ? (hasParameters ? 3 : 4) : name === anySubtype ? 2 : name === "*/*" ? 1 : 0;
    if (precision > best.precision) best = { precision, quality };
  }
  return best;
}

/** Parameters of the media type itself, such as charset, are ignored. An invalid quality, NaN, is never greater than 0. */
function parseRange(text: string): MediaRange {
  const [name = "", ...parameters] = splitUnquoted(text, ";").map((part) => part.trim().toLowerCase());
  const weight = parameters.find((parameter) => parameter.startsWith("q="));
  const quality = weight === undefined ? 1 : Number(weight.slice("q=".length) || Number.NaN);
  return {
    name: resolveMediaType(name),
    hasParameters: parameters.length > 0 && parameters[0] !== weight,
    quality,
  };
}

const UNQUOTED_PARTS = {
  ",": /(?:[^,"]|"(?:[^"\\]|\\.)*"?)+/g,
  ";": /(?:[^;"]|"(?:[^"\\]|\\.)*"?)+/g,
} as const;

/** Splits at separators outside of quoted strings. */
function splitUnquoted(text: string, separator: "," | ";"): string[] {
  return text.includes('"') ? (text.match(UNQUOTED_PARTS[separator]) ?? []) : text.split(separator);
}
