import { type SearchedTerms, searchPieces } from "../lists/search-text.ts";

/**
 * A GIN index returns all matches at once and unsorted: millions for a common text. So each key starts with the block of
 * 32,768 ids that contains the row. A list reads block after block in its order until the page is full, and sorts each
 * block.
 *
 * A key is 12 bits of the block's number and 20 bits of the trigram's hash. Other trigrams and distant blocks can have
 * the same key, so every match is tested.
 */
export const BLOCK_BITS = 15;
export const BLOCKS_MASK = 0xfff;
export const HASH_BITS = 20;

/** The keys of a row: one per trigram. */
export function searchKeys(id: number, terms: SearchedTerms): Set<number> {
  const block = (Math.floor(id / 2 ** BLOCK_BITS) & BLOCKS_MASK) << HASH_BITS;
  const keys = new Set<number>();
  for (const text of searchPieces(terms)) {
    let start = 0;
    let second = nextCharacter(text, start);
    let third = nextCharacter(text, second);
    while (third < text.length) {
      const end = nextCharacter(text, third);
      keys.add(block | hash(text, start, end));
      start = second;
      second = third;
      third = end;
    }
  }
  return keys;
}

/** The same keys, as PostgreSQL writes an array. */
export function searchKeysText(id: number, terms: SearchedTerms): string {
  return `{${[...searchKeys(id, terms)].join()}}`;
}

export function trigramHash(trigram: string): number {
  return hash(trigram, 0, trigram.length);
}

/** The upper bits of FNV-1a over UTF-16. Stored keys depend on it: never change it. */
function hash(text: string, start: number, end: number): number {
  let value = 0x811c9dc5;
  for (let i = start; i < end; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  return value >>> (32 - HASH_BITS);
}

/** The index of the next character. Some characters take two UTF-16 units. */
function nextCharacter(text: string, index: number): number {
  return index + ((text.charCodeAt(index) & 0xfc00) === 0xd800 ? 2 : 1);
}
