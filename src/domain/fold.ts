/**
 * Text comparison for every engine. Engines store the results of these functions and sort them by their UTF-8 bytes, so
 * that all engines return the same order.
 */

const ASCII = /^[\x20-\x7e]*$/;
/** Combining accents. Vowel signs of Indic scripts are not accents. */
const ACCENTS = /[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]/g;
/** Letters that look accented, but that Unicode does not decompose. */
const LOOKALIKES: Record<string, string> = {
  ø: "o",
  ł: "l",
  đ: "d",
  ð: "d",
  ħ: "h",
  ŧ: "t",
  ı: "i",
  æ: "ae",
  œ: "oe",
  þ: "th",
};
const LOOKALIKE = /[øłđðħŧıæœþ]/g;

/** The same result for texts that differ only in case. */
export function foldCase(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  // Upper case unifies letters that lower case keeps apart (ẞ, ß and ss; ſ and s).
  const folded = text.normalize("NFC").toLowerCase().toUpperCase().toLowerCase();
  return folded.replaceAll("ς", "σ").normalize("NFC");
}

/** `foldCase` that folds each text once, for many comparisons of the same record. Folding ASCII is as quick as a lookup. */
export function memoizeFoldCase(): (text: string) => string {
  const known = new Map<string, string>();
  let characters = 0;
  return (text) => {
    if (ASCII.test(text)) return text.toLowerCase();
    const found = known.get(text);
    if (found !== undefined) return found;
    characters += text.length;
    if (characters > MAX_MEMOIZED_CHARACTERS) {
      known.clear();
      characters = text.length;
    }
    const folded = foldCase(text);
    known.set(text, folded);
    return folded;
  };
}

/** More than a record has. */
const MAX_MEMOIZED_CHARACTERS = 65_536;

/**
 * The same result for email addresses that differ only in case: Unicode simple case folding after NFC. Folding never changes
 * the number of characters: ß is not ss, and ı is not i.
 */
export function foldEmail(address: string): string {
  if (ASCII.test(address)) return address.toLowerCase();
  return Array.from(address.normalize("NFC"), foldCharacter).join("").normalize("NFC");
}

/** Upper case first, because it unifies letters that lower case keeps apart (σ and ς; ſ and s). */
function foldCharacter(character: string): string {
  if (character === "ı" || character === "İ") return character;
  const upper = character.toUpperCase();
  const unified = isOneCharacter(upper) ? upper : character;
  const lower = unified.toLowerCase();
  return isOneCharacter(lower) ? lower : unified;
}

function isOneCharacter(text: string): boolean {
  return text.length === 1 || (text.length === 2 && (text.codePointAt(0) ?? 0) > 0xffff);
}

/** Limits the size of index entries: some characters decompose into eighteen. */
const MAX_FOLDED_CHARACTERS = 600;

/** The same result for texts that differ only in case or accents. Text is sorted by it. */
export function foldText(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  const bare = foldCase(text).normalize("NFKD").replace(ACCENTS, "");
  // Decomposition can produce capitals (™ becomes TM), so fold the case again.
  const folded = foldCase(bare)
    .replace(LOOKALIKE, (letter) => LOOKALIKES[letter] ?? letter)
    .normalize("NFKC");
  return folded.length <= MAX_FOLDED_CHARACTERS
    ? folded
    : [...folded].slice(0, MAX_FOLDED_CHARACTERS).join("");
}

const WORD_START = /(?<![\p{L}\p{N}\p{M}])[\p{L}\p{N}]/gu;

/** The first one or two characters of a folded name, of each word in it, and of a folded email. */
export function wordStarts(nameFold: string, emailFold: string | undefined): string[] {
  const starts = new Set([firstTwo(nameFold)]);
  for (const match of nameFold.matchAll(WORD_START)) starts.add(firstTwo(nameFold.slice(match.index)));
  if (emailFold !== undefined) starts.add(firstTwo(emailFold));
  starts.delete("");
  return [...starts];
}

function firstTwo(text: string): string {
  const characters = text[Symbol.iterator]();
  return (characters.next().value ?? "") + (characters.next().value ?? "");
}
