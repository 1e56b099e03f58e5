import type { IndexTerms } from "../../domain/user.ts";

/** Neither can stand in a name, an email or a search. */
const START = "\u0001";
const BETWEEN = "\u0002";

/** Two marks before each start: one character and its marks then make three, and so do two characters with one. */
export function wordStartsText(terms: IndexTerms): string {
  return marked(terms).join("");
}

/** What is put into an index of three characters at a time. */
export function searchText(terms: IndexTerms): string {
  return [terms.nameFold, terms.emailFold ?? "", wordStartsText(terms)].join(BETWEEN);
}

/** The same in pieces, so that no three characters are taken from two of them. */
export function searchPieces(terms: IndexTerms): string[] {
  return [terms.nameFold, terms.emailFold ?? "", ...marked(terms)];
}

function marked({ wordStarts }: IndexTerms): string[] {
  return wordStarts.map((start) => START + START + start);
}

/** More than these hardly narrow a search; the users found are tested anyway. */
const MOST_TRIGRAMS = 12;

export interface SearchTerms {
  /** What has to be in the index, three characters each. */
  readonly trigrams: readonly string[];
  /** For one or two characters: what has to be in `word_starts`. */
  readonly start: string | undefined;
}

export function searchTerms(search: string): SearchTerms {
  const characters = [...search];
  if (characters.length < 3) {
    const start = START.repeat(3 - characters.length) + search;
    return { trigrams: [start], start };
  }
  const all = characters.slice(2).map((_, index) => characters.slice(index, index + 3).join(""));
  const distinct = [...new Set(all)];
  const step = Math.max(1, distinct.length / MOST_TRIGRAMS);
  const count = Math.min(distinct.length, MOST_TRIGRAMS);
  const trigrams = Array.from({ length: count }, (_, index) => distinct[Math.floor(index * step)] ?? "");
  return { trigrams, start: undefined };
}
