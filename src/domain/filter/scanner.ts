import { FilterSyntaxError } from "./filter-syntax-error.ts";

/** Reads names, numbers, strings and punctuation from a filter expression. */
export class Scanner {
  offset = 0;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  skipSpace(): void {
    this.#match(SPACE);
  }

  get atEnd(): boolean {
    return this.offset === this.#text.length;
  }

  /** Whether the next character is this one. */
  sees(character: string): boolean {
    return this.#text[this.offset] === character;
  }

  take(character: string): boolean {
    const taken = this.sees(character);
    if (taken) this.offset += 1;
    return taken;
  }

  /** Takes one of these words in any case, with the space before it. */
  takeOneOf<Word extends string>(words: readonly Word[]): Word | undefined {
    this.skipSpace();
    const start = this.offset;
    const name = this.takeName()?.toLowerCase();
    const taken = words.find((word) => word === name);
    if (taken === undefined) this.offset = start;
    return taken;
  }

  takeName(): string | undefined {
    return this.#match(NAME);
  }

  /** Takes a URN with the names that may follow it. */
  takeUrn(): string | undefined {
    return this.#match(URN);
  }

  /** Takes a value without quotes. */
  takeWord(): string | undefined {
    const start = this.offset;
    const word = this.#match(WORD);
    return word === undefined ? undefined : this.#checkText(word, start);
  }

  /** Takes a number, or what looks like the beginning of one. */
  takeNumber(): string | undefined {
    return this.#match(NUMBER_LIKE);
  }

  /** Takes a JSON string, if the next character is a quote. */
  takeString(): string | undefined {
    if (!this.sees('"')) return undefined;
    const start = this.offset;
    const end = this.#findClosingQuote();
    this.offset = end + 1;
    return this.#checkText(JSON.parse(this.#text.slice(start, end + 1)), start);
  }

  #checkText(text: string, start: number): string {
    if (text.includes("\u0000") || !text.isWellFormed()) {
      throw this.error("text without U+0000 and without half of a surrogate pair", { at: start });
    }
    return text;
  }

  #findClosingQuote(): number {
    for (let i = this.offset + 1; i < this.#text.length; i++) {
      const character = this.#text.charCodeAt(i);
      if (character === QUOTE) return i;
      if (character < 0x20)
        throw this.error("an escape such as \\n instead of a control character", { at: i });
      if (character !== BACKSLASH) continue;
      ESCAPE.lastIndex = i;
      const match = ESCAPE.exec(this.#text);
      if (!match) throw this.error('an escape of JSON, such as \\", \\\\ or \\u00e9', { at: i });
      i += match[0].length - 1;
    }
    throw this.error("a closing quote", { at: this.#text.length, found: true });
  }

  error(
    expected: string,
    { at = this.offset, found = false }: { at?: number; found?: boolean } = {},
  ): FilterSyntaxError {
    const position = countCharacters(this.#text.slice(0, at)) + 1;
    return new FilterSyntaxError(position, expected, found ? this.#describe(at) : undefined);
  }

  #describe(offset: number): string {
    if (offset === this.#text.length) return "the end";
    if (this.#text[offset] === '"') return "text in quotes";
    WORD_OR_CHARACTER.lastIndex = offset;
    return JSON.stringify(WORD_OR_CHARACTER.exec(this.#text)?.[0]);
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.offset;
    const match = pattern.exec(this.#text)?.[0];
    if (match !== undefined) this.offset += match.length;
    return match;
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = /[ \t\r\n]+/y;
const NAME = /[A-Za-z_$][A-Za-z0-9_$-]*/y;
const WHOLE_NAME = /^[A-Za-z_$][A-Za-z0-9_$-]*$/;
const URN = /urn:[^\s"()[\]]+/iy;
const WORD = /[^\s"()[\]]+/y;
const NUMBER_LIKE = /[-+.0-9][-+.0-9A-Za-z_$]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4})/y;
/** What an error message shows. */
const WORD_OR_CHARACTER = /[-+.0-9A-Za-z_$]{1,30}|./suy;

/** Whether a path can have this name without quotes. */
export function isName(text: string): boolean {
  return WHOLE_NAME.test(text);
}

export function countCharacters(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}
