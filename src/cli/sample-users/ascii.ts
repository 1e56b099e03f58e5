/** What has no accent to take off, but is no ASCII either. */
const letters: Readonly<Record<string, string>> = {
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ø: "o",
  đ: "d",
  ð: "d",
  þ: "th",
  ł: "l",
  ı: "i",
  ə: "e",
  ħ: "h",
};

/** Latin letters as the local part of an address has them: `Ærø-Łukasz` as `aerolukasz`. */
export function toAscii(text: string): string {
  return text
    .normalize("NFD")
    .toLowerCase()
    .replace(/[^a-z]/g, (letter) => letters[letter] ?? "");
}
