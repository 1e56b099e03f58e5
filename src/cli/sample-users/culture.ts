import { toAscii } from "./ascii.ts";

/**
 * The names of a culture. Lists are separated by spaces; `_` is a space within a name, and `=` precedes the ASCII form of a
 * name in another script.
 */
export interface Culture {
  /** The frequency, relative to other cultures. */
  readonly weight: number;
  /** Countries (ISO codes) with some cities, like `AT Wien,Graz; CH Bern`. */
  readonly places: string;
  readonly women: string;
  readonly men: string;
  /** Omitted if people have only one name. */
  readonly families?: string;
  /** The forms for women, in the same order, if they differ. */
  readonly familiesOfWomen?: string;
  /** Precede some family names, like `van_der`. */
  readonly particles?: string;
  /** The separator of double family names, if they are usual. */
  readonly doubled?: "-" | " ";
  /** The separator of two given names, if they are usual. */
  readonly twoGiven?: "-" | " ";
  /** Default: given name first. `joined`: family name first, without a space. */
  readonly order?: "family first" | "joined";
}

/** Part of a name, and its ASCII form for emails. */
export interface Word {
  readonly text: string;
  readonly ascii: string;
}

type Words = readonly [Word, ...Word[]];

interface Place {
  readonly country: string;
  readonly cities: readonly [string, ...string[]];
}

/** A parsed culture. */
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
    places: nonEmpty(culture.places.split("; ").map(toPlace)),
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
  return { country: text.slice(0, 2), cities: nonEmpty(cities) };
}

function toWords(list: string): Words {
  return nonEmpty(list.trim().split(/\s+/).map(toWord));
}

function toWord(entry: string): Word {
  const [name = "", ascii] = entry.split("=");
  const text = name.replaceAll("_", " ");
  return { text, ascii: ascii ?? toAscii(text) };
}

function nonEmpty<T>(list: readonly T[]): readonly [T, ...T[]] {
  const [first, ...rest] = list;
  if (first === undefined) throw new Error("A list of names is empty.");
  return [first, ...rest];
}
