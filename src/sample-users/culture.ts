import type { Random } from "./random.ts";

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
interface Word {
  readonly text: string;
  readonly ascii: string;
}

type Words = readonly [Word, ...Word[]];

interface Place {
  readonly country: string;
  readonly cities: readonly [string, ...string[]];
}

/** A parsed culture. */
interface Names {
  readonly places: readonly [Place, ...Place[]];
  readonly given: readonly [women: Words, men: Words];
  readonly families: readonly [women: Words, men: Words] | undefined;
  readonly particles: Words | undefined;
  readonly culture: Culture;
}

/** The name of a person. */
export interface PersonName {
  readonly full: string;
  readonly given: Word;
  /** Undefined if people have only one name. */
  readonly family: Word | undefined;
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

export function pickName({ culture, given, families, particles }: Names, random: Random): PersonName {
  const sex = random.below(2) === 0 ? 0 : 1;
  const first = pickOneOrTwo(random, given[sex], culture.twoGiven, 15);
  if (!families) return { full: first.text, given: first, family: undefined };
  let family = pickOneOrTwo(random, families[sex], culture.doubled, 10);
  if (particles && random.chance(20)) {
    const particle = random.pick(particles);
    family = { text: `${particle.text} ${family.text}`, ascii: particle.ascii + family.ascii };
  }
  return { full: joinName(culture.order, first, family), given: first, family };
}

/** One word, or two different words with the given probability if the culture has double names. */
function pickOneOrTwo(random: Random, words: Words, separator: string | undefined, percent: number): Word {
  const first = random.pick(words);
  if (separator === undefined || !random.chance(percent)) return first;
  const second = random.pick(words);
  if (first === second) return first;
  return { text: `${first.text}${separator}${second.text}`, ascii: `${first.ascii}-${second.ascii}` };
}

function joinName(order: Culture["order"], given: Word, family: Word): string {
  if (order === "joined") return `${family.text}${given.text}`;
  return order === "family first" ? `${family.text} ${given.text}` : `${given.text} ${family.text}`;
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

export function nonEmpty<T>(list: readonly T[]): readonly [T, ...T[]] {
  const [first, ...rest] = list;
  if (first === undefined) throw new Error("A list of names is empty.");
  return [first, ...rest];
}

/** Letters without a decomposition into ASCII and an accent. */
const letters: Readonly<Record<string, string>> = {
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ø: "o",
  đ: "d",
  ð: "d",
  þ: "th",
  ł: "l",
  ı: "i",
  ə: "e",
  ħ: "h",
};

/** Latin letters in ASCII, for the local part of an email: `Ærø-Łukasz` becomes `aerolukasz`. */
function toAscii(text: string): string {
  return text
    .normalize("NFD")
    .toLowerCase()
    .replace(/[^a-z]/g, (letter) => letters[letter] ?? "");
}
