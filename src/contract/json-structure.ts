const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Follows JSON by its quotes and brackets: each character of text, or each byte of UTF-8. Does not check the rest. */
export class JsonStructure {
  /** How many arrays and objects are open. */
  depth = 0;
  inString = false;
  #isEscaped = false;

  read(code: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (code === QUOTE) this.inString = !this.inString;
    else if (this.inString) this.#isEscaped = code === BACKSLASH;
    else if (code === OPEN_ARRAY || code === OPEN_OBJECT) this.depth++;
    else if (code === CLOSE_ARRAY || code === CLOSE_OBJECT) this.depth--;
  }
}
