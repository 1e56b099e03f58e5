/** Letters without a decomposition into ASCII and an accent. */
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

/** Latin letters in ASCII, for the local part of an email: `Ærø-Łukasz` becomes `aerolukasz`. */
export function toAscii(text: string): string {
  return text
    .normalize("NFD")
    .toLowerCase()
    .replace(/[^a-z]/g, (letter) => letters[letter] ?? "");
}
