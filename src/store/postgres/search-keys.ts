import type { IndexTerms } from "../../domain/user.ts";
import { searchText } from "../lists/search-text.ts";

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
export function searchKeys(id: number, terms: IndexTerms): number[] {
  const block = (Math.floor(id / 2 ** BLOCK_BITS) & BLOCKS_MASK) << HASH_BITS;
  const characters = [...searchText(terms)];
  const keys = new Set<number>();
  for (let i = 0; i + 2 < characters.length; i++) {
    keys.add(block | trigramHash(`${characters[i]}${characters[i + 1]}${characters[i + 2]}`));
  }
  return [...keys];
}

/** FNV-1a over UTF-16, its upper bits. What is stored depends on it: it never changes. */
export function trigramHash(trigram: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < trigram.length; i++) hash = Math.imul(hash ^ trigram.charCodeAt(i), 0x01000193);
  return hash >>> (32 - HASH_BITS);
}
