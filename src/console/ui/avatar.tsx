/** A circle with the initials of a user. Decorative: the name is next to it. */
export function Avatar({ id, name }: { readonly id: number; readonly name: string }) {
  const letters = initials(name);
  return (
    <span className={`avatar tone-${id % 6}${isWide(letters) ? " wide" : ""}`} aria-hidden>
      {letters}
    </span>
  );
}

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });
/** Scripts whose letters are as wide as high. One letter fills the circle. */
const WIDE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}]/u;

/** The first characters of the first and last word, as people see characters: with their accents and vowel signs. */
function initials(name: string): string {
  const words = name.trim().split(/\s+/);
  const first = firstGrapheme(words[0] ?? "");
  if (words.length < 2 || WIDE.test(first)) return first.toLocaleUpperCase();
  return (first + firstGrapheme(words.at(-1) ?? "")).toLocaleUpperCase();
}

function firstGrapheme(word: string): string {
  for (const { segment } of graphemes.segment(word)) return segment;
  return "";
}

function isWide(letters: string): boolean {
  return [...letters].length > 2;
}
