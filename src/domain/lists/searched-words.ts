import { foldText } from "../fold.ts";

/** Shorter words match only the start of a word. */
const SHORTEST_ANYWHERE = 3;

/** Whether a folded word matches only the start of a word, not any part of it. */
export function isWordStart(word: string): boolean {
  return [...word].length < SHORTEST_ANYWHERE;
}

/** The folded words that a search has to test: without repeated words, and without words that another word implies. */
export function searchedWords(words: readonly string[]): string[] {
  const folded = [...new Set(words.map((word) => foldText(word).trim()))].filter((word) => word !== "");
  return folded.filter((word) => !folded.some((other) => other !== word && implies(other, word)));
}

function implies(word: string, implied: string): boolean {
  return isWordStart(implied) ? isWordStart(word) && word.startsWith(implied) : word.includes(implied);
}
