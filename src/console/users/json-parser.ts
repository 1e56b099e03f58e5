import type { Json } from "../../client/index.ts";
import { userLimits } from "../../contract/users/user.ts";
import { user as texts } from "../texts/index.ts";

interface ParsedJson {
  readonly value: Json;
  /** Line number of each field of the outermost object. */
  readonly lines: ReadonlyMap<string, number>;
  readonly error?: never;
}

/**
 * Parses JSON, with an error message that names line and column. `JSON.parse` does not report the line in every browser,
 * silently rounds large numbers, and accepts duplicate names.
 */
export function parseJson(text: string): ParsedJson | { readonly error: string } {
  const parser = new JsonParser(text);
  try {
    return { value: parser.parseDocument(), lines: parser.lines };
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    const before = text.slice(0, error.at).split("\n");
    const column = (before.at(-1)?.length ?? 0) + 1;
    return { error: texts.json.place(before.length, column, error.message) };
  }
}

/** Undefined if a double can't represent the number exactly. */
export function parseExactNumber(text: string): number | undefined {
  const number = Number(text);
  const isExactInteger = !Number.isInteger(number) || Number.isSafeInteger(number);
  return Number.isFinite(number) &&
    isExactInteger &&
    significantDigits(text) === significantDigits(String(number))
    ? number
    : undefined;
}

function significantDigits(text: string): string {
  return text.replace(/e.*$/i, "").replace(/[^\d]/g, "").replace(/^0+/, "").replace(/0+$/, "");
}

class JsonSyntaxError extends SyntaxError {
  readonly at: number;

  constructor(at: number, message: string) {
    super(message);
    this.at = at;
  }
}

const BLANK = /[ \t\r\n]*/y;
const WORD = /true|false|null/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
/** Unescaped are all characters from the space on, except quotes and backslashes. */
const STRING = /"(?:[ !#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"/y;

class JsonParser {
  readonly lines = new Map<string, number>();
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  parseDocument(): Json {
    const value = this.#readValue(1);
    if (this.#next() !== undefined) this.#fail(texts.json.after);
    return value;
  }

  #readValue(level: number): Json {
    const next = this.#next();
    if (next === '"') return this.#readString();
    if (next === "{" || next === "[") {
      if (level > userLimits.nestingLevels) this.#fail(texts.json.deep(userLimits.nestingLevels));
      return next === "{" ? this.#readObject(level) : this.#readArray(level);
    }
    const word = this.#take(WORD);
    if (word !== undefined) return word === "null" ? null : word === "true";
    const start = this.#at;
    const digits = this.#take(NUMBER);
    if (digits === undefined) return this.#fail(texts.json.value);
    return parseExactNumber(digits) ?? this.#fail(texts.json.inexact, start);
  }

  #readObject(level: number): Json {
    const members = new Map<string, Json>();
    this.#readMembers("}", () => {
      if (this.#next() !== '"') this.#fail(texts.json.name);
      const start = this.#at;
      const name = this.#readString();
      if (members.has(name)) this.#fail(texts.json.duplicate(name), start);
      if (level === 1) this.lines.set(name, this.#text.slice(0, start).split("\n").length);
      if (this.#next() !== ":") this.#fail(texts.json.colon);
      this.#at++;
      members.set(name, this.#readValue(level + 1));
    });
    return Object.fromEntries(members);
  }

  #readArray(level: number): Json {
    const members: Json[] = [];
    this.#readMembers("]", () => members.push(this.#readValue(level + 1)));
    return members;
  }

  #readMembers(close: "}" | "]", readMember: () => void): void {
    this.#at++;
    if (this.#next() === close) {
      this.#at++;
      return;
    }
    for (;;) {
      readMember();
      const next = this.#next();
      if (next !== "," && next !== close) this.#fail(texts.json.comma(close));
      this.#at++;
      if (next === close) return;
    }
  }

  #readString(): string {
    const start = this.#at;
    const token = this.#take(STRING);
    if (token === undefined) this.#fail(texts.json.text, start);
    return String(JSON.parse(token));
  }

  /** The next character that is not whitespace. */
  #next(): string | undefined {
    this.#take(BLANK);
    return this.#text[this.#at];
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    this.#at += found?.length ?? 0;
    return found;
  }

  #fail(text: string, at = this.#at): never {
    throw new JsonSyntaxError(at, text);
  }
}
