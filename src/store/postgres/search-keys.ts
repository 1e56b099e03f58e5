import type { IndexTerms } from "../../domain/user.ts";
import { searchPieces } from "../lists/search-text.ts";

/**
 * A GIN index gives users in no order, and all of them at once: of a common text that would be millions. So its keys
 * begin with the block of 32,768 ids that the user is in. Blocks are asked one after the other, in the order of the
 * list, until there is enough; each has a bounded number of users, to be sorted.
 *
 * A key is 12 bits of the block and 20 of a hash. Other texts and far blocks may share it: what is found is tested.
 */
export const BLOCK_BITS = 15;
export const BLOCKS_MASK = 0xfff;
export const HASH_BITS = 20;

/** The keys of a user: one for every three characters that follow each other. */
export function searchKeys(id: number, terms: IndexTerms): Set<number> {
  const block = (Math.floor(id / 2 ** BLOCK_BITS) & BLOCKS_MASK) << HASH_BITS;
  const keys = new Set<number>();
  for (const text of searchPieces(terms)) {
    let start = 0;
    let second = after(text, start);
    let third = after(text, second);
    while (third < text.length) {
      const end = after(text, third);
      keys.add(block | hash(text, start, end));
      start = second;
      second = third;
      third = end;
    }
  }
  return keys;
}

export function trigramHash(trigram: string): number {
  return hash(trigram, 0, trigram.length);
}

/** FNV-1a over UTF-16, its upper bits. What is stored depends on it: it never changes. */
function hash(text: string, start: number, end: number): number {
  let value = 0x811c9dc5;
  for (let i = start; i < end; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  return value >>> (32 - HASH_BITS);
}

/** Where the character after the one at `index` begins; some take two units. */
function after(text: string, index: number): number {
  return index + ((text.charCodeAt(index) & 0xfc00) === 0xd800 ? 2 : 1);
}
