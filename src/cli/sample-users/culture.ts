import { toAscii } from "./ascii.ts";

/**
 * How people are called somewhere. Names stand with spaces between; `_` is a space inside one, and what follows `=` is
 * how it is written in ASCII, for names in other scripts.
 */
export interface Culture {
  /** How many of all are of it, compared to the others. */
  readonly weight: number;
  /** Countries by their ISO code, each with some of its cities, as in `AT Wien,Graz; CH Bern`. */
  readonly places: string;
  readonly women: string;
  readonly men: string;
  /** Left out where people have one name only. */
  readonly families?: string;
  /** The same in the same order, where those of women are different. */
  readonly familiesOfWomen?: string;
  /** Before some family names, such as `van_der`. */
  readonly particles?: string;
  /** What stands between two family names of one person, where that is usual. */
  readonly doubled?: "-" | " ";
  /** Whether some have two given names, and what stands between them. */
  readonly twoGiven?: "-" | " ";
  /** Given name first, unless said otherwise; `joined` has no space between. */
  readonly order?: "family first" | "joined";
}

/** A word of a name, and how it looks in an address. */
export interface Word {
  readonly text: string;
  readonly ascii: string;
}

type Words = readonly [Word, ...Word[]];

interface Place {
  readonly country: string;
  readonly cities: readonly [string, ...string[]];
}

/** A culture, taken apart. */
export interface Names {
  readonly places: readonly [Place, ...Place[]];
  readonly given: readonly [women: Words, men: Words];
  readonly families: readonly [women: Words, men: Words] | undefined;
  readonly particles: Words | undefined;
  readonly culture: Culture;
}

export function parseNames(culture: Culture): Names {
  const { families, familiesOfWomen = families, particles } = culture;
  return {
    culture,
    places: some(culture.places.split("; ").map(toPlace)),
    given: [toWords(culture.women), toWords(culture.men)],
    families:
      families === undefined || familiesOfWomen === undefined
        ? undefined
        : [toWords(familiesOfWomen), toWords(families)],
    particles: particles === undefined ? undefined : toWords(particles),
  };
}

function toPlace(text: string): Place {
  const cities = text.slice(3).split(",");
  return { country: text.slice(0, 2), cities: some(cities) };
}

function toWords(list: string): Words {
  return some(list.trim().split(/\s+/).map(toWord));
}

function toWord(entry: string): Word {
  const [name = "", ascii] = entry.split("=");
  const text = name.replaceAll("_", " ");
  return { text, ascii: ascii ?? toAscii(text) };
}

function some<T>(list: readonly T[]): readonly [T, ...T[]] {
  const [first, ...rest] = list;
  if (first === undefined) throw new Error("A list of names is empty.");
  return [first, ...rest];
}
