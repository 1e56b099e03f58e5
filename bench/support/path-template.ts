/** `{N}`: a number from 1 to N. `{A-B}`: a number from A to B. `{x|y}`: one of these texts. */
const PLACE = /\{(\d+(?:-\d+)?|[^{}|]+(?:\|[^{}|]+)+)\}/;

/** Fills the places of a text. `draw` returns a number from 0 to 1, without 1. */
export type Template = (draw: () => number) => string;

/** Parses a text with places. Equal places of one text get the same value. */
export function parseTemplate(text: string): Template {
  const parts = text.split(PLACE);
  const isPlace = (_: string, index: number) => index % 2 === 1;
  const places = [...new Set(parts.filter(isPlace))];
  const choices = places.map(parsePlace);
  const pattern = parts.map((part, index) => (isPlace(part, index) ? places.indexOf(part) : part));
  return (draw) => {
    const values = choices.map((choose) => choose(draw()));
    return pattern.map((part) => (typeof part === "string" ? part : values[part])).join("");
  };
}

export function hasPlaces(text: string): boolean {
  return PLACE.test(text);
}

/** Like `encodeURIComponent`, without the places. */
export function encodeTemplate(text: string): string {
  return text.replaceAll(/\{[^}]*\}|[^{]+/g, (part) => (hasPlaces(part) ? part : encodeURIComponent(part)));
}

/** The value at each share of all values of the place. */
function parsePlace(place: string): (share: number) => string {
  const [, first = "1", last] = /^(?:(\d+)-)?(\d+)$/.exec(place) ?? [];
  if (last === undefined) {
    const texts = place.split("|");
    return (share) => texts[Math.floor(share * texts.length)] ?? "";
  }
  const [lowest, count] = [Number(first), Number(last) - Number(first) + 1];
  return (share) => String(lowest + Math.floor(share * count));
}
