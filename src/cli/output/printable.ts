/** Control characters, lone surrogates, and characters that change the direction or the line of text. */
const UNSAFE = String.raw`[\p{Cc}\p{Cs}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufff9-\ufffb]`;
const unsafe = new RegExp(UNSAFE, "gu");

/** Part of every style mark of this process. Nothing that is printed can contain it by accident or by intent. */
const secret = crypto.getRandomValues(new Uint32Array(4)).join(";");
const unsafeOrMark = new RegExp(String.raw`\u001b\[(?<code>\d+);${secret}m|\r\n|${UNSAFE}`, "gu");

/** A mark that `escapeForTerminal` turns into an ANSI code. Like an ANSI code, it has no width. */
export function styleMark(code: number): string {
  return `\u001b[${code};${secret}m`;
}

/** Escapes as in JSON, which keeps the value of JSON, and turns style marks into ANSI codes. Only \n stays. */
export function escapeForTerminal(text: string): string {
  return text.replace(unsafeOrMark, (match, code: string | undefined) => {
    if (code !== undefined) return `\u001b[${code}m`;
    return match === "\n" || match === "\r\n" ? "\n" : escapeCharacter(match);
  });
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** Replaces characters that are unsafe on a terminal, line breaks included, for text on one line. */
export function printable(text: string): string {
  return text.replace(unsafe, "\ufffd");
}
