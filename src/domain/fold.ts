/**
 * How text is compared, once, for every engine: the engines store what these functions return and order it by its
 * UTF-8 bytes, so that they agree to the last user.
 */

const ASCII = /^[\x20-\x7e]*$/;
/** Accents as Unicode writes them on their own. The vowel signs of Indic scripts are no accents and stay. */
const ACCENTS = /[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]/g;
/** Letters that people take for an accented one, though Unicode does not build them so. */
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

/** Equal for two texts that differ in case only. Accents count. */
export function foldCase(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  // By way of upper case: it brings together what lower case alone keeps apart (ẞ, ß and ss; ſ and s).
  const folded = text.normalize("NFC").toLowerCase().toUpperCase().toLowerCase();
  return folded.replaceAll("ς", "σ").normalize("NFC");
}

/** Some characters decompose into eighteen: an index holds no more than this many of a text, whatever is in it. */
const LONGEST_FOLD = 600;

/** Equal for two texts that differ in case or accents only; also the order in which text sorts. */
export function foldText(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  const bare = foldCase(text).normalize("NFKD").replace(ACCENTS, "");
  // Decomposing can bring capitals back (the letters inside ™ are), so the case is folded once more.
  const folded = foldCase(bare)
    .replace(LOOKALIKE, (letter) => LOOKALIKES[letter] ?? letter)
    .normalize("NFKC");
  return folded.length <= LONGEST_FOLD ? folded : [...folded].slice(0, LONGEST_FOLD).join("");
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
