import { isWordStart } from "../../domain/lists/searched-words.ts";
import type { RecordTerms } from "../../domain/records/record.ts";
import type { Sql } from "../sql/sql.ts";
import type { SearchIndex } from "./list-resource.ts";

/** What a search finds a row by: only users have an email. */
export interface SearchedTerms extends Pick<RecordTerms, "nameFold" | "wordStarts"> {
  readonly emailFold?: string | undefined;
}

/** Control characters that structure the index text. Names, emails and searches contain neither. */
const WORD_START = "\u0001";
const SEPARATOR = "\u0002";

/** Puts two marks before each start of a word: a trigram is then two marks and one character, or one mark and two. */
export function wordStartsText(terms: SearchedTerms): string {
  return markWordStarts(terms).join("");
}

/** The text to put into a trigram index. */
export function searchText(terms: SearchedTerms): string {
  return [terms.nameFold, terms.emailFold ?? "", wordStartsText(terms)].join(SEPARATOR);
}

/** The same text in pieces. Trigrams do not cross from one piece to the next. */
export function searchPieces(terms: SearchedTerms): string[] {
  return [terms.nameFold, terms.emailFold ?? "", ...markWordStarts(terms)];
}

function markWordStarts({ wordStarts }: SearchedTerms): string[] {
  return wordStarts.map((start) => WORD_START + WORD_START + start);
}

export interface SearchTerms {
  /** Every match has these in its index entry. */
  readonly trigrams: readonly string[];
  /** Every row that has all the trigrams in its index entry matches. */
  readonly exact: boolean;
  /** The condition that the row `u` contains every word. */
  readonly test: Sql;
}

/** What a search for folded words looks for, in at most `maxTrigrams` places. `contains` is the SQL condition that a column contains the text `?`. */
export function searchTerms(
  { textColumns, wordStartsColumn }: SearchIndex,
  words: readonly string[],
  maxTrigrams: number,
  contains: (column: string) => string,
): SearchTerms {
  const anywhere = `(${textColumns.map(contains).join(" OR ")})`;
  const tests = words.map((word): Sql => {
    return isWordStart(word)
      ? { text: contains(wordStartsColumn), values: [markWordStart(word)] }
      : { text: anywhere, values: textColumns.map(() => word) };
  });
  const trigrams = [...new Set(words.flatMap(trigramsOf))];
  return {
    trigrams: spread(trigrams, maxTrigrams),
    exact: trigrams.length <= maxTrigrams && words.every((word) => [...word].length <= 3),
    test: {
      text: tests.map(({ text }) => text).join(" AND "),
      values: tests.flatMap(({ values }) => values),
    },
  };
}

/** Every second trigram, and the last one: those between them hardly narrow a search, and each is another list to read. */
function trigramsOf(word: string): string[] {
  if (isWordStart(word)) return [markWordStart(word)];
  const characters = [...word];
  const last = characters.length - 3;
  return characters.flatMap((_, index) =>
    index === last || (index < last && index % 2 === 0) ? [characters.slice(index, index + 3).join("")] : [],
  );
}

function markWordStart(word: string): string {
  return WORD_START.repeat(3 - [...word].length) + word;
}

/** Some of the trigrams, evenly spread over all words. */
function spread(trigrams: readonly string[], max: number): string[] {
  const step = Math.max(1, trigrams.length / max);
  const count = Math.min(trigrams.length, max);
  return Array.from({ length: count }, (_, index) => trigrams[Math.floor(index * step)] ?? "");
}
