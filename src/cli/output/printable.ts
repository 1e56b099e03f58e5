/** Would move the cursor, change what the terminal does, or show what follows them in another order. */
const HOSTILE = /[\p{Cc}\p{Cs}\u2028-\u202e\u2066-\u2069\ufff9-\ufffb]/gu;

/** Text that can do no harm on a terminal, whoever wrote it. */
export function printable(text: string): string {
  return text.replace(HOSTILE, "\ufffd");
}

/** JSON that can do none, and is the same JSON. */
export function printableJson(json: string): string {
  return json.replace(HOSTILE, (character) =>
    character === "\n" ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
