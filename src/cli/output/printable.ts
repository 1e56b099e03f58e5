/** Control characters, and characters that change the direction or the line of text. */
const UNSAFE = /[\p{Cc}\p{Cs}\u2028-\u202e\u2066-\u2069\ufff9-\ufffb]/gu;

/** Replaces characters that are unsafe on a terminal. */
export function printable(text: string): string {
  return text.replace(UNSAFE, "\ufffd");
}

/** Escapes characters that are unsafe on a terminal: the value of the JSON stays the same. */
export function printableJson(json: string): string {
  return json.replace(UNSAFE, (character) =>
    character === "\n" ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
