import type { IndexTerms } from "../../domain/user.ts";

/** Control characters that structure the index text. Names, emails and searches contain neither. */
const WORD_START = "\u0001";
const SEPARATOR = "\u0002";

/** Puts two marks before each start of a word: a trigram is then two marks and one character, or one mark and two. */
export function wordStartsText(terms: IndexTerms): string {
  return markWordStarts(terms).join("");
}

/** The text to put into a trigram index. */
export function searchText(terms: IndexTerms): string {
  return [terms.nameFold, terms.emailFold ?? "", wordStartsText(terms)].join(SEPARATOR);
}

/** The same text in pieces. Trigrams do not cross from one piece to the next. */
export function searchPieces(terms: IndexTerms): string[] {
  return [terms.nameFold, terms.emailFold ?? "", ...markWordStarts(terms)];
}

function markWordStarts({ wordStarts }: IndexTerms): string[] {
  return wordStarts.map((start) => WORD_START + WORD_START + start);
}

/** More trigrams hardly narrow a search, and rows from the index are tested anyway. */
const MAX_TRIGRAMS = 12;

export interface SearchTerms {
  /** Every match has these in its index entry. */
  readonly trigrams: readonly string[];
  /** For a search of one or two characters: the marked start of a word that every match contains. */
  readonly wordStart: string | undefined;
}

export function searchTerms(search: string): SearchTerms {
  const characters = [...search];
  if (characters.length < 3) {
    const wordStart = WORD_START.repeat(3 - characters.length) + search;
    return { trigrams: [wordStart], wordStart };
  }
  const everyTrigram = characters.slice(2).map((_, index) => characters.slice(index, index + 3).join(""));
  const distinct = [...new Set(everyTrigram)];
  const step = Math.max(1, distinct.length / MAX_TRIGRAMS);
  const count = Math.min(distinct.length, MAX_TRIGRAMS);
  const trigrams = Array.from({ length: count }, (_, index) => distinct[Math.floor(index * step)] ?? "");
  return { trigrams, wordStart: undefined };
}
