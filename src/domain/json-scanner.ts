import type { Json } from "../contract/json.ts";
import type { ProblemType } from "../contract/problems.ts";
import { decodePart, MAX_PARSED_LEVELS, nestedTooDeeply, notJson } from "./json-text.ts";
import { ProblemError } from "./problem-error.ts";

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [PLUS, MINUS, DOT, ZERO, NINE] = [0x2b, 0x2d, 0x2e, 0x30, 0x39];
const [SPACE, TAB, LINE_FEED, CARRIAGE_RETURN] = [0x20, 0x09, 0x0a, 0x0d];
const [SMALL_A, SMALL_E, SMALL_F, SMALL_U] = [0x61, 0x65, 0x66, 0x75];

export const OPEN_ARRAY = 0x5b;
export const OPEN_OBJECT = 0x7b;

/** In ASCII, a closing bracket is two after the opening one. Small letters have a bit that capital ones do not have. */
const TO_CLOSING = 2;
const SMALL = 0x20;

/** What follows a backslash, if it is not `u`. */
const shortEscapes: ReadonlySet<number> = new Set(Buffer.from('"\\/bfnrt'));
const SHORT_ESCAPE_BYTES = 2;
/** `\u0041` */
const LONG_ESCAPE_BYTES = 6;

const literals = ["true", "false", "null"].map((text) => Buffer.from(text));

/** Ids have no more digits. */
const ID_DIGITS = 16;

interface Scanned {
  readonly start: number;
  readonly end: number;
  /** The most bytes of an item. */
  readonly maxItemBytes: number;
  /** The problem of a value that is nested too deeply. */
  readonly invalid: ProblemType;
}

/**
 * Reads JSON in UTF-8 without making values of it: to collect a million values that nobody keeps would hold the event loop. Accepts
 * what `JSON.parse` accepts. Methods fail with `malformed-json`, or with `too-large` if an item is.
 */
export class JsonScanner {
  readonly #bytes: Uint8Array;
  readonly #scanned: Scanned;
  #at: number;
  /** No byte from here on is read. */
  #limit: number;
  /** The brackets that are open in the value that is skipped. */
  readonly #open = new Uint8Array(MAX_PARSED_LEVELS);

  constructor(bytes: Uint8Array, scanned: Scanned) {
    this.#bytes = bytes;
    this.#scanned = scanned;
    this.#at = scanned.start;
    this.#limit = scanned.end;
  }

  /** Where the next token is, or white space in front of it. */
  get at(): number {
    return this.#at;
  }

  /** What follows is an item. */
  beginItem(): void {
    const { end, maxItemBytes } = this.#scanned;
    this.#limit = Math.min(end, this.#at + maxItemBytes);
  }

  /** Moves to the next token, and returns its first byte. Undefined at the end. */
  peek(): number | undefined {
    const bytes = this.#bytes;
    const limit = this.#limit;
    let at = this.#at;
    let code = bytes[at];
    while (at < limit && (code === SPACE || code === LINE_FEED || code === CARRIAGE_RETURN || code === TAB)) {
      code = bytes[++at];
    }
    this.#at = at;
    return at < limit ? code : undefined;
  }

  /** Moves past a bracket. Returns false if nothing is in it: then, it moves past the closing bracket too. */
  enter(bracket: number): boolean {
    this.#expect(bracket);
    return !this.#takes(bracket + TO_CLOSING);
  }

  /** Moves past the comma after an item. Returns false after the last one: then, it moves past the closing bracket. */
  hasNext(bracket: number): boolean {
    if (this.#takes(COMMA)) return true;
    this.#expect(bracket + TO_CLOSING);
    return false;
  }

  /** Moves from the name of a member to its value, and returns where the name is. */
  skipName(): number {
    if (this.peek() !== QUOTE) throw this.#failure();
    const start = this.#at;
    this.#skipText();
    this.#expect(COLON);
    return start;
  }

  /** Moves past a value, and returns where it is. */
  skipValue(): number {
    this.peek();
    const start = this.#at;
    let depth = 0;
    do {
      const code = this.peek();
      if (code === OPEN_ARRAY || code === OPEN_OBJECT) {
        if (depth === MAX_PARSED_LEVELS) throw nestedTooDeeply("body", this.#scanned.invalid);
        if (this.enter(code)) {
          this.#open[depth++] = code;
          if (code === OPEN_OBJECT) this.skipName();
          continue;
        }
      } else this.#skipScalar(code);
      while (depth > 0 && !this.hasNext(this.#open[depth - 1] ?? 0)) depth--;
      if (depth > 0 && this.#open[depth - 1] === OPEN_OBJECT) this.skipName();
    } while (depth > 0);
    return start;
  }

  /** Whether there is a text at this position. */
  isText(start: number): boolean {
    return this.#bytes[start] === QUOTE;
  }

  /** Whether the text at this position is a word, in any case. The word has small letters of ASCII. */
  isWord(start: number, word: string): boolean {
    const bytes = this.#bytes;
    if (!this.isText(start)) return false;
    let at = start + 1;
    for (let index = 0; index < word.length; index++) {
      const letter = word.charCodeAt(index);
      const character = this.#characterAt(at);
      if (character !== letter && character !== letter - SMALL) return false;
      at += bytes[at] === BACKSLASH ? LONG_ESCAPE_BYTES : 1;
    }
    return bytes[at] === QUOTE;
  }

  /** The id that the value at this position is: text in plain decimal. Undefined for any other value. */
  idAt(start: number): number | undefined {
    const bytes = this.#bytes;
    if (!this.isText(start)) return undefined;
    let id = 0;
    for (let at = start + 1, digits = 0; bytes[at] !== QUOTE; digits++) {
      const digit = (this.#characterAt(at) ?? 0) - ZERO;
      if (digit < 0 || digit > NINE - ZERO || (id === 0 && digit === 0) || digits === ID_DIGITS)
        return undefined;
      id = 10 * id + digit;
      at += bytes[at] === BACKSLASH ? LONG_ESCAPE_BYTES : 1;
    }
    return id > 0 && Number.isSafeInteger(id) ? id : undefined;
  }

  /** The text at this position. Undefined for another value. */
  textAt(start: number): string | undefined {
    if (!this.isText(start)) return undefined;
    const at = this.#at;
    this.#at = start;
    const text: unknown = this.parseValue();
    this.#at = at;
    return typeof text === "string" ? text : undefined;
  }

  /** Moves past a value, and makes the value. */
  parseValue(): Json {
    const start = this.skipValue();
    const value: Json = JSON.parse(decodePart(this.#bytes.subarray(start, this.#at)));
    return value;
  }

  #takes(code: number): boolean {
    if (this.peek() !== code) return false;
    this.#at++;
    return true;
  }

  #expect(code: number): void {
    if (!this.#takes(code)) throw this.#failure();
  }

  #failure(): ProblemError {
    const { end, maxItemBytes } = this.#scanned;
    if (this.#at < this.#limit || this.#limit === end) return notJson("body");
    return itemTooLarge(maxItemBytes);
  }

  #skipScalar(first: number | undefined): void {
    if (first === QUOTE) {
      this.#skipText();
      return;
    }
    const literal = literals.find((bytes) => bytes[0] === first);
    if (!(literal ? literal.every((code) => this.#reads(code)) : this.#readsNumber())) throw this.#failure();
  }

  #skipText(): void {
    const bytes = this.#bytes;
    const limit = this.#limit;
    let at = this.#at + 1;
    for (let code = bytes[at] ?? 0; at < limit && code !== QUOTE; code = bytes[at] ?? 0) {
      if (code < SPACE) throw notJson("body");
      at += code === BACKSLASH ? this.#escapeBytes(at) : 1;
    }
    this.#at = at;
    if (!this.#reads(QUOTE)) throw this.#failure();
  }

  #escapeBytes(at: number): number {
    const bytes = this.#bytes;
    const code = bytes[at + 1] ?? 0;
    if (shortEscapes.has(code)) return SHORT_ESCAPE_BYTES;
    if (code !== SMALL_U || this.#characterAt(at) === undefined) throw notJson("body");
    return LONG_ESCAPE_BYTES;
  }

  /** The character at a position of a text, if it is of ASCII or a long escape. Otherwise a byte of it, or undefined. */
  #characterAt(at: number): number | undefined {
    const bytes = this.#bytes;
    if (bytes[at] !== BACKSLASH) return bytes[at];
    if (bytes[at + 1] !== SMALL_U) return undefined;
    let character = 0;
    for (let index = at + 2; index < at + LONG_ESCAPE_BYTES; index++) {
      const digit = hexadecimal(bytes[index] ?? 0);
      if (digit === undefined) return undefined;
      character = 16 * character + digit;
    }
    return character;
  }

  #readsNumber(): boolean {
    this.#reads(MINUS);
    if (!this.#reads(ZERO) && !this.#readsDigits()) return false;
    if (this.#reads(DOT) && !this.#readsDigits()) return false;
    if (!this.#reads(SMALL_E) && !this.#reads(SMALL_E - SMALL)) return true;
    if (!this.#reads(PLUS)) this.#reads(MINUS);
    return this.#readsDigits();
  }

  #readsDigits(): boolean {
    const start = this.#at;
    for (let code = this.#byte; code !== undefined && code >= ZERO && code <= NINE; code = this.#byte)
      this.#at++;
    return this.#at > start;
  }

  #reads(code: number): boolean {
    if (this.#byte !== code) return false;
    this.#at++;
    return true;
  }

  get #byte(): number | undefined {
    return this.#at < this.#limit ? this.#bytes[this.#at] : undefined;
  }
}

export function itemTooLarge(maxBytes: number): ProblemError {
  return new ProblemError("too-large", `An item of a list is larger than ${maxBytes} bytes.`);
}

function hexadecimal(code: number): number | undefined {
  if (code >= ZERO && code <= NINE) return code - ZERO;
  const small = code | SMALL;
  return small >= SMALL_A && small <= SMALL_F ? small - SMALL_A + 10 : undefined;
}
